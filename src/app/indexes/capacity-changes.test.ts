// Changes of read capacity: shown while under way, one at a time, finished even after a crash.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Fault, type FaultName } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import { ControlPlane, eventually, NEW_INDEX, OWNER } from './testing/control-plane.ts';

const DEDICATED = {
  mode: 'Dedicated',
  dedicated: { nodeType: 'b1', scaling: 'Manual', replicas: 1, shards: 1 },
};

function is(condition: FaultName) {
  return (error: unknown): boolean => error instanceof Fault && error.condition === condition;
}

function capacityOf({ deployment }: Index) {
  return deployment.kind === 'pod' ? undefined : deployment.readCapacity;
}

describe('changes of read capacity', () => {
  let plane: ControlPlane;

  beforeEach(async () => {
    plane = await ControlPlane.make();
  });

  afterEach(() => plane.dispose());

  test('a change of read capacity is shown as Scaling, allows no second one, then is Ready', async () => {
    const indexes = await plane.start();
    await indexes.create(OWNER, NEW_INDEX);
    const scaling = await indexes.configure(OWNER, 'books', { readCapacity: DEDICATED });
    assert.deepEqual(capacityOf(scaling), {
      mode: 'Dedicated',
      dedicated: DEDICATED.dedicated,
      state: 'Scaling',
      current: null,
    });
    assert.equal(scaling.state, 'Ready');
    await assert.rejects(
      indexes.configure(OWNER, 'books', { readCapacity: { mode: 'OnDemand' } }),
      is('capacity-change-running'),
    );
    await indexes.configure(OWNER, 'books', { tags: { still: 'possible' } });
    await eventually(async () => {
      const capacity = capacityOf(await indexes.describe(OWNER, 'books'));
      return capacity?.mode === 'Dedicated' && capacity.state === 'Ready' && capacity.current?.replicas === 1;
    });
    assert.equal(indexes.profile(scaling.id)?.dedicated, true);
  });

  test('reads pause when a change to zero replicas is done, and resume likewise', async () => {
    const indexes = await plane.start();
    const { id } = await indexes.create(OWNER, NEW_INDEX);
    await indexes.configure(OWNER, 'books', { readCapacity: DEDICATED });
    for (const [replicas, readable] of [
      [0, false],
      [2, true],
    ] as const) {
      await eventually(() => indexes.profile(id)?.dedicated === true);
      await eventually(async () => {
        const capacity = capacityOf(await indexes.describe(OWNER, 'books'));
        return capacity?.mode === 'Dedicated' && capacity.state === 'Ready';
      });
      const dedicated = { scaling: 'Manual', replicas };
      await indexes.configure(OWNER, 'books', { readCapacity: { mode: 'Dedicated', dedicated } });
      assert.equal(indexes.profile(id)?.readable, !readable);
      await eventually(() => indexes.profile(id)?.readable === readable);
    }
  });

  test('a change under way at a crash is finished after the next start', async () => {
    const first = await plane.start({ transitionMilliseconds: 60_000 });
    await first.create(OWNER, NEW_INDEX);
    await first.configure(OWNER, 'books', { readCapacity: DEDICATED });
    plane.crash();
    const second = await plane.start();
    const before = capacityOf(await second.describe(OWNER, 'books'));
    assert.ok(before?.mode === 'Dedicated' && before.state === 'Scaling');
    await eventually(async () => {
      const capacity = capacityOf(await second.describe(OWNER, 'books'));
      return capacity?.mode === 'Dedicated' && capacity.state === 'Ready';
    });
  });
});
