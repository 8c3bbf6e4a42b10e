// Changes of the model of an index that is being moved: both would follow what changes by the same notes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SAMPLE_INDEX } from '../../catalog/conformance/conformance-suite.ts';
import { mintProjectAccess } from '../../domain/access.ts';
import { Fault } from '../../domain/faults.ts';
import { changedIndex } from '../../domain/index-change.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import type { Job } from '../../domain/jobs.ts';
import { MOVE_KIND } from '../../domain/nodes/takeover.ts';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { runningJob } from '../../jobs/testing/running-job.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { OWNER } from '../indexes/testing/control-plane.ts';
import { MODEL_CHANGE_KIND, modelChangeJob } from './model-change-job.ts';
import { ModelChangeService, type ModelChangeServiceParts } from './model-change-service.ts';

const INDEX: Index = { ...SAMPLE_INDEX, port: null, embed: null, dimension: 2 };
const MOVE: Job = runningJob({
  id: 'move',
  kind: MOVE_KIND,
  projectId: INDEX.projectId,
  indexId: INDEX.id,
  input: {},
});

const record = (id: string) => ({ id, values: Float32Array.of(1, 0), sparse: null, metadataJson: null });

describe('an index that is being moved', () => {
  test('refuses to have its model changed, and stays as it is', async () => {
    const service = new ModelChangeService({
      ...untouched<ModelChangeServiceParts>(),
      engine: new ReferenceEngine(),
      catalog: {
        jobs: { ...untouched<ModelChangeServiceParts['catalog']['jobs']>(), active: async () => [MOVE] },
      },
      indexes: {
        describe: async () => INDEX,
        byId: () => INDEX,
        configure: () => assert.fail('the index is changed'),
      },
    });
    await assert.rejects(
      service.start(OWNER, INDEX.name, { model: 'multilingual-e5-large' }),
      (error) => error instanceof Fault && error.condition === 'model-change-refused',
    );
  });

  test('has no vectors made, nor changes noted for them, before the move has ended', async () => {
    const engine = new ReferenceEngine();
    const at = INDEX.createdAt;
    const standby = { storageId: 'standby', dimension: 2, embed: null, documents: null };
    let index: Index = {
      ...INDEX,
      modelChange: { state: 'Preparing', standby, startedAt: at, changedAt: at },
    };
    let active: readonly Job[] = [MOVE];
    const kind = modelChangeJob({
      catalog: { jobs: { active: async () => active } },
      indexes: {
        byId: () => index,
        configure: async (_, __, change) => {
          index = changedIndex(index, change);
          return index;
        },
      },
      engine,
      inference: testInference(),
      accessTo: () => mintProjectAccess(OWNER),
    });
    const run = () =>
      kind.run({
        job: { ...MOVE, id: 'change', kind: MODEL_CHANGE_KIND, progress: null },
        signal: new AbortController().signal,
        percent: () => undefined,
        checkpoint: async () => undefined,
      });
    await engine.createIndex(profileOf(INDEX));
    await assert.rejects(run(), /being moved/);
    const pending = async () => (await engine.changed(profileOf(INDEX)).list(1)).total;
    await engine.writer(profileOf(INDEX)).upsert('', [record('first')]);
    assert.equal(await pending(), 0);
    active = [];
    await run();
    assert.equal(index.modelChange?.state, 'Ready');
    await engine.writer(profileOf(INDEX)).upsert('', [record('second')]);
    assert.equal(await pending(), 1);
  });
});
