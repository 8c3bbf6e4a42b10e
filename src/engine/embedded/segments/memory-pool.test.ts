// A segment goes to an arena that has room for all of it, counted as its reservation will count it.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { systemCalls } from '../../../platform/native/system-calls.ts';
import { Epochs } from '../memory/epochs.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { MemoryPool, type OpenedArena } from './memory-pool.ts';
import type { SegmentContext } from './segment-context.ts';

const FRAMES_MAX = 256;
const NEED = { frames: 0, ungrown: 0, scratch: 0, inFile: 0 };

function setUp(test: TestContext) {
  const opened: OpenedArena[] = [];
  const budget = FrameBudget.of(4 * FRAMES_MAX);
  const pool = new MemoryPool({
    epochs: new Epochs(Epochs.allocate(0)),
    dimension: 128,
    metric: 'cosine',
    columnSeed: 1,
    diskFolder: tempFolder(test),
    budget,
    framesMax: FRAMES_MAX,
    onArena: (arena) => opened.push(arena),
  });
  test.after(() => pool.close());
  return { pool, budget, opened };
}

/** Makes the arena one that is in use, with so many frames. */
function use({ allocator }: SegmentContext, frames: number) {
  const owner = {};
  allocator.reservations.set(owner, NEED);
  const addresses = Array.from({ length: frames }, () => allocator.frame());
  return {
    free: () => allocator.retire(addresses, []),
    leave: () => {
      allocator.retire(addresses, []);
      allocator.reservations.set(owner, null);
    },
  };
}

it('counts scratch memory once: what an arena keeps for threads serves a segment that wants no more', (test) => {
  const { pool } = setUp(test);
  const { allocator } = pool.first;
  use(pool.first, 1);
  const { scratch } = allocator.reservations.sum;
  assert.ok(scratch > 1);
  const frames = allocator.available;
  assert.equal(pool.pick([], { ...NEED, frames, scratch }).number, 0);
  assert.equal(pool.pick([], { ...NEED, frames, scratch: scratch + 1 }).number, 1);
});

it('counts the frames of a file that are free again for codes, and for nothing else', (test) => {
  if (systemCalls() === null) return test.skip('the system has no such files');
  const { pool } = setUp(test);
  pool.keepOnDisk(true);
  const { allocator } = pool.first;
  use(pool.first, 1);
  const codes = Array.from({ length: FRAMES_MAX / 2 }, () => allocator.frameInFile());
  allocator.retire(codes, []);
  assert.equal(pool.pick([], { ...NEED, frames: allocator.available, inFile: codes.length }).number, 0);
  assert.equal(pool.pick([], { ...NEED, frames: allocator.available + 1 }).number, 1);
});

it('has a new arena in place of each that nothing is in, where no other fits, and frees the frames of the old ones', (test) => {
  const { pool, budget, opened } = setUp(test);
  const first = use(pool.first, 200);
  const second = use(pool.pick([pool.first]), 200);
  const stays = use(pool.pick([], { ...NEED, frames: FRAMES_MAX / 2 }), 100);
  assert.deepEqual(
    opened.map(({ number, left }) => [number, left]),
    [
      [1, null],
      [2, null],
    ],
  );
  const { memories } = pool;
  const version = pool.first.arena.structureVersion;
  const used = budget.used;
  second.leave();
  // They are free where they are: nothing has to be given back.
  assert.equal(pool.pick([], { ...NEED, frames: 150 }).number, 1);
  assert.equal(budget.used, used);
  first.leave();
  // No arena has so many contiguous ones at its end.
  const picked = pool.pick([], { ...NEED, ungrown: 200 });
  assert.equal(picked.number, 0);
  assert.ok(budget.used <= used - 390, `${budget.used} of ${used} frames`);
  assert.deepEqual(
    opened.slice(2).map(({ number, memory, left }) => [number, memory === pool.memories[number], left]),
    [
      [0, true, memories[0]],
      [1, true, memories[1]],
    ],
  );
  assert.equal(pool.memories[2], memories[2]);
  assert.equal(pool.first.arena.structureVersion, version);
  stays.free();
  assert.equal(pool.frames, budget.used);
});

it('takes an unused arena, and opens no further one, for what no arena has room for', (test) => {
  const { pool } = setUp(test);
  const need = { ...NEED, frames: FRAMES_MAX };
  for (let i = 0; i < 3; i++) assert.equal(pool.pick([], need).number, 0);
  assert.equal(pool.pick([pool.first], need).number, 1);
});
