// What an engine thread runs is what the serving thread was asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mintProjectAccess } from '../../../domain/access.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import type { EngineCall } from '../../port/engine.ts';
import { packCall, unpackCall } from './packed-call.ts';

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
});
const values = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string())));
const facts = {
  endpointId: fc.string(),
  access: fc.record({ organizationId: fc.uuid(), projectId: fc.uuid(), principalId: fc.uuid() }),
  version: fc.constantFrom(null, '2025-10'),
  index: profiles,
  params: fc.dictionary(fc.string(), fc.string()),
  query: values,
  requestId: fc.uuid(),
};
const calls = fc.record(
  { ...facts, explain: fc.boolean(), rpc: fc.string() },
  { requiredKeys: ['endpointId', 'access', 'version', 'index', 'params', 'query', 'requestId'] },
);

test('a call arrives as it was sent, whatever its facts, with the body that it was given on the way', () => {
  fc.assert(
    fc.property(calls, fc.uint8Array(), ({ access, ...rest }, piece) => {
      const body = [Buffer.from('not this one')];
      const call = { ...rest, access: mintProjectAccess(access), body } as EngineCall;
      const arrived = unpackCall(structuredClone(packCall(call, [piece])));
      assert.deepEqual(arrived, structuredClone({ ...call, body: [piece] }));
    }),
    { seed: SEED },
  );
});
