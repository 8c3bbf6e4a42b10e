// The list of slots that a graph has no nodes for grows by those that are live, and stays as readers know it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Allocator } from '../memory/allocator.ts';
import { Arena } from '../memory/arena.ts';
import { Epochs } from '../memory/epochs.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { UnplacedSlots, unplacedMax } from './unplaced-slots.ts';

function makeContext() {
  const arena = Arena.create();
  const epochs = new Epochs(Epochs.allocate(1));
  const allocator = new Allocator(arena, { epochs, budget: FrameBudget.of(Number.MAX_SAFE_INTEGER) });
  return { arena, allocator, list: new UnplacedSlots({ arena, allocator }, allocator.block()) };
}

const range = (from: number, until: number) => Array.from({ length: until - from }, (_, at) => from + at);
const ALL = { isLive: () => true, max: 100_000 };

it('lists what was added, in order, however many there are', () => {
  const { list } = makeContext();
  for (let from = 0; from < 60_000; from += 700) assert.ok(list.add(range(from, from + 700), ALL));
  assert.deepEqual([...list.slots()], range(0, 60_200));
});

it('replaces dead slots where there is no room, without end', () => {
  const { list } = makeContext();
  for (let slot = 0; slot < 10_000; slot++) {
    // A record that is written over and over has one live slot.
    assert.ok(list.add([slot], { isLive: (each) => each === slot || each === 3, max: 1_023 }));
    list.retireOld();
    const listed = list.slots();
    assert.ok(listed.includes(slot) && listed.includes(3) === slot >= 3);
  }
  assert.equal(list.bytes, 4_096);
});

it('changes nothing where more are live than may be', () => {
  const { list } = makeContext();
  assert.ok(list.add(range(0, 1_000), { ...ALL, max: 1_023 }));
  assert.equal(list.add(range(1_000, 1_100), { ...ALL, max: 1_023 }), false);
  assert.deepEqual([...list.slots()], range(0, 1_000));
  assert.deepEqual([unplacedMax(0), unplacedMax(1_000_000)], [1_023, 10_000]);
});

it('leaves the array that readers know as it is until it is retired', () => {
  const { arena, list } = makeContext();
  assert.ok(list.add(range(0, 1_023), ALL));
  const known = list.address;
  assert.ok(list.add(range(1_023, 3_000), ALL));
  const words = arena.words(known + 4_096).subarray(known / 4, known / 4 + 1_024);
  assert.deepEqual([...words], [1_023, ...range(0, 1_023)]);
  assert.notEqual(list.address, known);
});
