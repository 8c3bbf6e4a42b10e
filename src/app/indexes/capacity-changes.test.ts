// Changes of read capacity.
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

/** Changes stay under way. */
const WITHOUT_END = { transitionMilliseconds: 86_400_000 };

function capacityOf({ deployment }: Index) {
  return deployment.kind === 'pod' ? undefined : deployment.readCapacity;
}

describe('changes of read capacity', () => {
  let plane: ControlPlane;

  beforeEach(async () => {
    plane = await ControlPlane.make();
  });

  afterEach(() => plane.dispose());

  test('shows a change as Scaling, refuses a second one, then shows Ready', async () => {
    const first = await plane.start(WITHOUT_END);
    await first.create(OWNER, NEW_INDEX);
    const scaling = await first.configure(OWNER, 'books', { readCapacity: DEDICATED });
    assert.deepEqual(capacityOf(scaling), {
      mode: 'Dedicated',
      dedicated: DEDICATED.dedicated,
      state: 'Scaling',
      current: null,
    });
    assert.equal(scaling.state, 'Ready');
    await assert.rejects(
      first.configure(OWNER, 'books', { readCapacity: { mode: 'OnDemand' } }),
      is('capacity-change-running'),
    );
    await first.configure(OWNER, 'books', { tags: { still: 'possible' } });
    plane.crash();
    const indexes = await plane.start();
    await eventually(async () => {
      const capacity = capacityOf(await indexes.describe(OWNER, 'books'));
      return capacity?.mode === 'Dedicated' && capacity.state === 'Ready' && capacity.current?.replicas === 1;
    });
    assert.equal(indexes.directory.profile(scaling.id)?.dedicated, true);
  });

  test('pauses reads once a change to zero replicas is complete, and resumes them likewise', async () => {
    const made = await plane.start();
    const { id } = await made.create(OWNER, NEW_INDEX);
    await made.configure(OWNER, 'books', { readCapacity: DEDICATED });
    plane.crash();
    for (const [replicas, readable] of [
      [0, false],
      [2, true],
    ] as const) {
      const settling = await plane.start();
      await eventually(() => settling.directory.profile(id)?.dedicated === true);
      await eventually(async () => {
        const capacity = capacityOf(await settling.describe(OWNER, 'books'));
        return capacity?.mode === 'Dedicated' && capacity.state === 'Ready';
      });
      plane.crash();
      const changing = await plane.start(WITHOUT_END);
      const dedicated = { scaling: 'Manual', replicas };
      await changing.configure(OWNER, 'books', { readCapacity: { mode: 'Dedicated', dedicated } });
      assert.equal(changing.directory.profile(id)?.readable, !readable);
      plane.crash();
      const changed = await plane.start();
      await eventually(() => changed.directory.profile(id)?.readable === readable);
      plane.crash();
    }
  });

  test('finishes an interrupted change after the next start', async () => {
    const first = await plane.start(WITHOUT_END);
    await first.create(OWNER, NEW_INDEX);
    await first.configure(OWNER, 'books', { readCapacity: DEDICATED });
    plane.crash();
    const second = await plane.start(WITHOUT_END);
    const before = capacityOf(await second.describe(OWNER, 'books'));
    assert.ok(before?.mode === 'Dedicated' && before.state === 'Scaling');
    plane.crash();
    const third = await plane.start();
    await eventually(async () => {
      const capacity = capacityOf(await third.describe(OWNER, 'books'));
      return capacity?.mode === 'Dedicated' && capacity.state === 'Ready';
    });
  });
});
