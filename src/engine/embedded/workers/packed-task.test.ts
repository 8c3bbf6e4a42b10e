// Tests that an engine thread receives the task as the main thread sent it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { packTask, unpackTask } from './packed-task.ts';

const PROFILE = sampleProfile();
const SEED = 17;

const profiles = fc.record({
  id: fc.uuid(),
  name: fc.string(),
  projectId: fc.uuid(),
  kind: fc.constantFrom('serverless', 'pod'),
  vectorType: fc.constantFrom('dense', 'sparse'),
  metric: fc.constantFrom('cosine', 'dotproduct', 'euclidean'),
  dimension: fc.option(fc.nat()),
  filterableFields: fc.option(fc.array(fc.string())),
  metadataSchema: fc.constant(PROFILE.metadataSchema),
  dedicated: fc.boolean(),
  readable: fc.boolean(),
  documents: fc.option(
    fc.record({
      fields: fc.dictionary(
        fc.string(),
        fc.constantFrom(
          { kind: 'sparse', description: null },
          { kind: 'dense', dimension: 3, metric: 'cosine', description: 'é' },
        ),
        { noNullPrototype: true },
      ),
    }),
  ),
});

test('delivers a task as it was sent, with the body that was attached on the way', () => {
  fc.assert(
    fc.property(
      profiles,
      fc.jsonValue(),
      fc.uint8Array(),
      fc.string(),
      (generated, details, piece, caller) => {
        const index = generated as IndexProfile;
        const task = { index, queue: 'read', caller, details, body: [Buffer.from('not this one')] } as const;
        const arrived = unpackTask(structuredClone(packTask(task, [piece])));
        assert.deepEqual(arrived, structuredClone({ details, index, body: [piece], caller }));
      },
    ),
    { seed: SEED },
  );
});
