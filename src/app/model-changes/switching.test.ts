// The moment in which other vectors begin to answer: writes are held back for a bounded time, whatever the model does.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SAMPLE_INDEX } from '../../catalog/conformance/conformance-suite.ts';
import { mintProjectAccess } from '../../domain/access.ts';
import { Fault } from '../../domain/faults.ts';
import { changedIndex } from '../../domain/index-change.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { overloaded } from '../../domain/overload.ts';
import { ReferenceEngine } from '../../engine/reference/reference-engine.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import { HANG_MS } from '../../platform/testing/until.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { OWNER } from '../indexes/testing/control-plane.ts';
import { ModelChangeService, type ModelChangeServiceParts } from './model-change-service.ts';
import { StandbyFollower } from './standby-follower.ts';
import { EMBED } from './testing/embedding.ts';
import { WriteGate } from './write-gate.ts';

const BEGUN: Index = {
  ...SAMPLE_INDEX,
  ...{ port: null, dimension: 1024, embed: EMBED },
  modelChange: {
    ...{ state: 'Ready', startedAt: '', changedAt: '' },
    standby: {
      ...{ storageId: 'standby', dimension: 1024, documents: null },
      embed: { ...EMBED, model: 'llama-text-embed-v2' },
    },
  },
};

/** A change that is ready, with a write that came while the latest ones were followed, and a model that can be busy. */
async function fixture() {
  const engine = new ReferenceEngine();
  let index = BEGUN;
  let isBusy = true;
  for (const storageId of [undefined, 'standby'])
    await engine.createIndex(profileOf({ ...BEGUN, ...(storageId && { storageId }) }));
  await engine.changed(profileOf(BEGUN)).track();
  const working = testInference();
  const inference: Inference = {
    ...working,
    embed: (request, call) => (isBusy ? Promise.reject(overloaded()) : working.embed(request, call)),
  };
  const gate = new WriteGate();
  const follower = new StandbyFollower({
    ...{ engine, inference, indexes: { byId: () => index } },
    changing: () => [BEGUN.id],
  });
  const write = () =>
    engine
      .writer(profileOf(BEGUN))
      .upsert('', [
        { id: 'late', values: new Float32Array(1024).fill(1), sparse: null, metadataJson: '{"text":"late"}' },
      ]);
  const service = new ModelChangeService({
    ...untouched<ModelChangeServiceParts>(),
    ...{ engine, inference, follower },
    get catchUpMsMax() {
      return isBusy ? 50 : HANG_MS;
    },
    gate: { alone: (id, work) => gate.alone(id, () => write().then(work)) },
    catalog: {
      jobs: {
        ...untouched<ModelChangeServiceParts['catalog']['jobs']>(),
        active: async () => [],
        list: async () => ({ items: [], next: null }),
      },
    },
    indexes: {
      describe: async () => index,
      byId: () => index,
      configure: async (_, __, change) => {
        index = changedIndex(index, change);
        return index;
      },
    },
    accessTo: () => mintProjectAccess(OWNER),
    onFailure: (error) => assert.fail(String(error)),
  });
  return {
    ...{ service, gate, follower, write },
    setRevision: (revision: string) => working.setRevision(revision),
    standbyIds: async () =>
      (await engine.reader(profileOf({ ...BEGUN, storageId: 'standby' })).fetch('', ['late'])).map(
        ({ id }) => id,
      ),
    state: () => index.modelChange?.state,
    setBusy: (value: boolean) => {
      isBusy = value;
    },
  };
}

describe('a switch to other vectors', () => {
  test('gives up in time while the model is busy, lets writes go on, and can be tried again', async () => {
    const { service, gate, state, setBusy } = await fixture();
    const switched = () => service.answerBy(OWNER, BEGUN.name, 'new');
    await assert.rejects(
      switched(),
      (error) => error instanceof Fault && error.condition === 'model-change-not-ready',
    );
    assert.equal(typeof gate.enter('another'), 'function');
    const leave = gate.enter(BEGUN.id);
    assert.ok(typeof leave === 'function', 'writes are still held back');
    leave();
    assert.equal(state(), 'Ready');
    setBusy(false);
    assert.equal((await switched()).state, 'Switched');
  });

  test('does not wait for a step of the follower that a busy model holds up', async () => {
    const { service, gate, follower, state, setBusy } = await fixture();
    const alone = gate.alone.bind(gate);
    gate.alone = (id, work) =>
      alone(id, () => {
        void follower.catchUp(id);
        return work();
      });
    await assert.rejects(service.answerBy(OWNER, BEGUN.name, 'new'), /in time/);
    assert.equal(state(), 'Ready');
    setBusy(false);
    await follower.close();
  });

  test('is refused either way, with all writes kept, while another revision serves the model than has made them', async () => {
    const { service, follower, state, write, setBusy, setRevision, standbyIds } = await fixture();
    const refusedSwitch = (which: 'new' | 'former') =>
      assert.rejects(
        service.answerBy(OWNER, BEGUN.name, which),
        (error) =>
          error instanceof Fault &&
          error.condition === 'model-change-not-ready' &&
          error.message.includes('were made by test 1, and it is now served by test 2'),
      );
    setBusy(false);
    setRevision('2');
    await refusedSwitch('new');
    await write();
    await refusedSwitch('new');
    assert.match(follower.problemOf(BEGUN.id) ?? '', /'llama-text-embed-v2' were made by test 1/);
    assert.deepEqual([state(), await standbyIds()], ['Ready', []]);
    setRevision('1');
    await service.answerBy(OWNER, BEGUN.name, 'new');
    assert.deepEqual([state(), await standbyIds()], ['Switched', ['late']]);
    setRevision('2');
    await refusedSwitch('former');
    assert.equal(state(), 'Switched');
    setRevision('1');
    assert.equal((await service.answerBy(OWNER, BEGUN.name, 'former')).state, 'Ready');
  });
});
