// Guarantees of the turns of changes: their order, and that no index keeps others from their turns.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import { WAITING_MS_MAX } from '../../domain/waiting-time.ts';
import { BoundedSlots } from '../../platform/bounded-slots.ts';
import { ChangeTurns } from './change-turns.ts';

const OF_INDEX_MAX = 1_024;
const isOverloaded = (error: unknown) => error instanceof Fault && error.condition === 'overloaded';
const wanted = () => true;
const settled = () => new Promise(setImmediate);

function setUp(slots = 2) {
  const turns = new ChangeTurns(new BoundedSlots({ slots, waitingMax: Number.POSITIVE_INFINITY }));
  const begun: string[] = [];
  /** Begins a change of the index, which the returned function ends. */
  const begin = (name: string, isWanted?: () => boolean) => {
    const { promise: work, resolve: end } = Promise.withResolvers<void>();
    const outcome = turns.run({ indexId: name[0] ?? '', isWanted }, async () => {
      begun.push(name);
      await work;
    });
    // Those that are refused are looked at later.
    outcome.catch(() => undefined);
    return { outcome, end };
  };
  return { turns, begun, begin };
}

it('begins the changes of an index one after another, whatever fails, and those of others beside them', async () => {
  const { turns, begun, begin } = setUp();
  const failing = turns.run({ indexId: 'a' }, () => Promise.reject(new Error('failed')));
  await assert.rejects(failing, /failed/);
  const [first, second, other] = [begin('a1'), begin('a2'), begin('b1')];
  await settled();
  assert.deepEqual(begun.toSorted(), ['a1', 'b1']);
  const earlier = turns.earlier('a').then(() => begun.push('earlier ones have ended'));
  first.end();
  await first.outcome;
  await settled();
  second.end();
  await earlier;
  assert.deepEqual(begun.slice(2), ['a2', 'earlier ones have ended']);
  other.end();
  await other.outcome;
});

it('refuses changes of an index of which many wait, and none of another', async () => {
  const { begun, begin } = setUp();
  const changes = Array.from({ length: OF_INDEX_MAX }, (_, at) => begin(`a${at}`));
  await assert.rejects(begin('a').outcome, isOverloaded);
  const other = begin('b');
  await settled();
  assert.deepEqual(begun, ['a0', 'b']);
  other.end();
  for (const { end } of changes) end();
  await Promise.all(changes.map(({ outcome }) => outcome));
  const next = begin('a');
  next.end();
  await next.outcome;
  assert.equal(begun.length, OF_INDEX_MAX + 2);
});

it('refuses a change whose client waits too long, for others of its index or for a slot, and never begins it', async (test) => {
  test.mock.timers.enable({ apis: ['setTimeout'] });
  const { begun, begin } = setUp(1);
  const [running, second, other] = [begin('a1'), begin('a2', wanted), begin('b1', wanted)];
  await settled();
  test.mock.timers.tick(WAITING_MS_MAX - 1);
  const later = begin('a3', wanted);
  test.mock.timers.tick(1);
  for (const { outcome } of [second, other]) await assert.rejects(outcome, isOverloaded);
  running.end();
  await running.outcome;
  later.end();
  await later.outcome;
  assert.deepEqual(begun, ['a1', 'a3']);
});

it('lets changes of the background wait as long as they must', async (test) => {
  test.mock.timers.enable({ apis: ['setTimeout'] });
  const { begun, begin } = setUp(1);
  const [running, second] = [begin('a1'), begin('a2')];
  await settled();
  test.mock.timers.tick(10 * WAITING_MS_MAX);
  for (const { outcome, end } of [running, second]) {
    end();
    await outcome;
  }
  assert.deepEqual(begun, ['a1', 'a2']);
});

it('drops a change for which nobody waits any more at its turn', async () => {
  const { begun, begin } = setUp();
  const [running, left] = [begin('a1'), begin('a2', () => false)];
  running.end();
  await assert.rejects(left.outcome, /client went/);
  assert.deepEqual(begun, ['a1']);
});
