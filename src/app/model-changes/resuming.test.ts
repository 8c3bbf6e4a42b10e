// Changes of the model of an index that failed and are started again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SAMPLE_INDEX } from '../../catalog/conformance/conformance-suite.ts';
import { mintProjectAccess } from '../../domain/access.ts';
import { changedIndex } from '../../domain/index-change.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import type { Job } from '../../domain/jobs.ts';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { JobFailure } from '../../jobs/port.ts';
import { runningJob } from '../../jobs/testing/running-job.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { OWNER } from '../indexes/testing/control-plane.ts';
import { MODEL_CHANGE_KIND, modelChangeJob } from './model-change-job.ts';
import { ModelChangeService, type ModelChangeServiceParts } from './model-change-service.ts';
import { EMBED } from './testing/embedding.ts';

const NEW_MODEL = 'llama-text-embed-v2';
const INDEX: Index = { ...SAMPLE_INDEX, port: null, dimension: 1024, embed: EMBED };
const changing = (model: string): Index => ({
  ...INDEX,
  modelChange: {
    ...{ state: 'Preparing', startedAt: '', changedAt: '' },
    standby: {
      ...{ storageId: 'standby', dimension: 1024, documents: null },
      embed: { ...EMBED, model, source: { provider: 'test', revision: '2' } },
    },
  },
});
const JOB: Job = runningJob({
  ...{ id: 'first', kind: MODEL_CHANGE_KIND, projectId: INDEX.projectId, indexId: INDEX.id, input: {} },
  createdAt: '2026-07-01T00:00:00.000Z',
});
/** In three namespaces, which are read one after the other. */
const RECORDS = 60;

/** A change whose first job failed when it had copied some of the records, and that was started again. */
async function startedAgain(model = NEW_MODEL) {
  const engine = new ReferenceEngine();
  const inference = testInference();
  inference.setRevision('2');
  let index = changing(model);
  let job = JOB;
  const byId = () => index;
  const kind = modelChangeJob({
    catalog: { jobs: { active: async () => [] } },
    indexes: {
      byId,
      configure: async (_, __, change) => {
        index = changedIndex(index, change);
        return index;
      },
    },
    ...{ engine, inference, accessTo: () => mintProjectAccess(OWNER) },
  });
  const run = () =>
    kind.run({
      ...{ job, signal: new AbortController().signal, percent: () => undefined },
      checkpoint: async (progress) => {
        job = { ...job, progress };
        const { after } = progress as { readonly after: object | null };
        if (job.id === JOB.id && after !== null) inference.fail('gone');
      },
    } as Parameters<typeof kind.run>[0]);
  await engine.createIndex(profileOf(INDEX));
  const values = new Float32Array(1024).fill(1);
  const records = Array.from({ length: RECORDS / 3 }, (_, at) => ({
    ...{ id: `r${at}`, values, sparse: null },
    metadataJson: JSON.stringify({ text: `text ${at}` }),
  }));
  for (const namespace of ['a', 'b', 'c']) await engine.writer(profileOf(INDEX)).upsert(namespace, records);
  await assert.rejects(run(), /gone/);
  const copied = inference.counts.texts;
  assert.ok(copied > 0 && copied < RECORDS);
  job = { ...job, state: 'Failed' };
  inference.fail(null);
  const service = new ModelChangeService({
    ...untouched<ModelChangeServiceParts>(),
    ...{ engine, inference },
    follower: { problemOf: () => null } as unknown as ModelChangeServiceParts['follower'],
    catalog: {
      jobs: {
        ...untouched<ModelChangeServiceParts['catalog']['jobs']>(),
        active: async () => [],
        list: async () => ({ items: [job], next: null }),
      },
    },
    jobs: {
      ...untouched<ModelChangeServiceParts['jobs']>(),
      enqueue: async (added) => {
        job = { ...JOB, ...added };
        return job;
      },
    },
    indexes: { describe: async () => index, byId, configure: () => assert.fail('the index is changed') },
  });
  await service.start(OWNER, INDEX.name, { model });
  assert.notEqual(job.id, JOB.id);
  return {
    ...{ inference, copied, run },
    state: () => index.modelChange?.state,
    standbySource: () => index.modelChange?.standby.embed?.source,
  };
}

describe('a change of model whose job failed', () => {
  test('goes on from the last checkpoint when it is started again', async () => {
    const { inference, copied, run, state } = await startedAgain();
    await run();
    assert.equal(inference.counts.texts, RECORDS);
    assert.equal(copied, RECORDS / 3);
    assert.equal(state(), 'Ready');
  });

  test('starts over when another provider or revision serves the new model since, and says who made the vectors', async () => {
    const { inference, copied, run, standbySource } = await startedAgain();
    assert.equal(standbySource()?.revision, '2');
    inference.setRevision('3');
    await run();
    assert.equal(inference.counts.texts, copied + RECORDS);
    assert.equal(standbySource()?.revision, '3');
  });

  test('fails for good when who serves the new model now has made the present vectors', async () => {
    const { inference, run, state, standbySource } = await startedAgain(EMBED.model);
    inference.setRevision(EMBED.source.revision);
    await assert.rejects(
      run(),
      (error) => error instanceof JobFailure && /End the change/.test(error.message),
    );
    assert.equal(state(), 'Preparing');
    assert.equal(standbySource()?.revision, '2');
  });
});
