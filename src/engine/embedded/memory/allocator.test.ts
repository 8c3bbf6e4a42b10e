// Memory is allocated once, and again only when no reader can see its former content.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Allocator, ArenaFull, BLOCK_BYTES } from './allocator.ts';
import { Arena, FRAME_BYTES } from './arena.ts';
import { Epochs } from './epochs.ts';
import { FrameBudget } from './frame-budget.ts';
import type { Reservation } from './reservations.ts';

const READER = 0;

function setUp(framesMax?: number) {
  const arena = Arena.create(framesMax);
  const epochs = new Epochs(Epochs.allocate(1));
  return { arena, epochs, allocator: new Allocator(arena, { epochs, budget: FrameBudget.of(65_536) }) };
}

type Step = 'frame' | 'block' | 'retire' | 'pin' | 'unpin';
const step = fc.constantFrom<Step>('frame', 'frame', 'block', 'block', 'block', 'retire', 'pin', 'unpin');

it('allocates nothing twice, nor anything that a reader pinned before its retirement may see', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 150, size: 'max' }),
      fc.infiniteStream(fc.nat()),
      (steps, picks) => {
        const { epochs, allocator } = setUp();
        /** First byte -> size, of what is in use or retired since the reader was pinned. */
        const taken = new Map<number, number>();
        const held = new Map<number, number>();
        let used: { address: number; bytes: number }[] = [];
        let isPinned = false;
        const take = (address: number, bytes: number) => {
          for (const others of [taken, held]) {
            for (const [other, size] of others)
              assert.ok(address + bytes <= other || other + size <= address);
          }
          taken.set(address, bytes);
          used.push({ address, bytes });
        };
        for (const kind of steps) {
          if (kind === 'frame') take(allocator.frame(), FRAME_BYTES);
          else if (kind === 'block') take(allocator.block(), BLOCK_BYTES);
          else if (kind === 'retire' && used.length > 0) {
            const batch = used.splice((picks.next().value ?? 0) % used.length);
            const addresses = (bytes: number) =>
              batch.filter((part) => part.bytes === bytes).map((part) => part.address);
            allocator.retire(addresses(FRAME_BYTES), addresses(BLOCK_BYTES));
            for (const { address, bytes } of batch) {
              taken.delete(address);
              if (isPinned) held.set(address, bytes);
            }
          } else if (kind === 'pin' && !isPinned) {
            epochs.pin(READER);
            isPinned = true;
          } else if (kind === 'unpin') {
            epochs.unpin(READER);
            held.clear();
            isPinned = false;
          }
        }
        used = [];
      },
    ),
    { seed: 35, numRuns: 60 },
  );
});

it('reuses retired memory once the reader is done, so that the arena does not grow', () => {
  const { arena, epochs, allocator } = setUp();
  for (let round = 0; round < 20; round++) {
    const frames = Array.from({ length: 40 }, () => allocator.frame());
    const blocks = Array.from({ length: 40 }, () => allocator.block());
    epochs.pin(READER);
    allocator.retire(frames, blocks);
    epochs.unpin(READER);
  }
  assert.ok(arena.buffer.byteLength <= 70 * FRAME_BYTES, `${arena.buffer.byteLength / FRAME_BYTES} frames`);
});

it('zeroes blocks, reused ones too', () => {
  const { arena, allocator } = setUp();
  const dirty = (address: number) =>
    new Uint8Array(arena.bufferOf(address + BLOCK_BYTES), address, BLOCK_BYTES);
  const blocks = Array.from({ length: 40 }, () => allocator.block());
  for (const address of blocks) {
    assert.ok(dirty(address).every((byte) => byte === 0));
    dirty(address).fill(0xaa);
  }
  allocator.retire([], blocks);
  for (const address of Array.from({ length: 40 }, () => allocator.block())) {
    assert.ok(blocks.includes(address));
    assert.ok(dirty(address).every((byte) => byte === 0));
  }
});

it('allocates every frame of an arena, reports when it is full, and works again after memory was freed', () => {
  const { allocator } = setUp(50);
  const frames: number[] = [];
  assert.throws(() => {
    for (;;) frames.push(allocator.frame());
  }, ArenaFull);
  assert.equal(frames.length, 48, 'all but the two frames of the arena itself');
  assert.throws(() => allocator.block(), ArenaFull);
  allocator.retire(frames.slice(0, 2), []);
  assert.ok(frames.includes(allocator.block()));
  assert.ok(frames.includes(allocator.frame()));
  assert.throws(() => allocator.frame(), ArenaFull);
});

it('refuses reserved memory to all others in any order, and grants it to its owner', () => {
  const FRAMES = 64;
  const need = fc.record({
    frames: fc.nat({ max: 12 }),
    ungrown: fc.nat({ max: 6 }),
    scratch: fc.nat({ max: 10 }),
  });
  const move = fc.oneof(
    fc.record({ kind: fc.constant('promise' as const), owner: fc.nat({ max: 2 }), need }),
    fc.record({ kind: fc.constant('take' as const), count: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constant('scratch' as const), count: fc.integer({ min: 1, max: 4 }) }),
  );
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      const arena = Arena.create(FRAMES);
      const epochs = new Epochs(Epochs.allocate(1));
      const budget = FrameBudget.of(65_536);
      const allocator = new Allocator(arena, { epochs, budget, framesMax: FRAMES });
      const owners = [{}, {}, {}];
      const promised = new Map<object, Reservation>();
      let scratchTaken = 0;
      const scratchKept = () => Math.max(0, ...[...promised.values()].map(({ scratch }) => scratch));
      for (const each of moves) {
        if (each.kind === 'promise') {
          const owner = owners[each.owner] ?? assert.fail();
          if (allocator.reserve(owner, each.need)) promised.set(owner, each.need);
        } else if (each.kind === 'take') {
          try {
            for (let i = 0; i < each.count; i++) allocator.frame();
          } catch (error) {
            assert.ok(error instanceof ArenaFull);
          }
        } else if (scratchTaken + each.count <= scratchKept()) {
          assert.ok(arena.grow(each.count) !== null, 'working space that was kept is there');
          scratchTaken += each.count;
        }
      }
      if (scratchTaken < scratchKept()) assert.ok(arena.grow(scratchKept() - scratchTaken) !== null);
      allocator.withReserved(() => {
        for (const { ungrown } of promised.values()) if (ungrown > 0) allocator.frames(ungrown);
        for (const { frames } of promised.values()) for (let i = 0; i < frames; i++) allocator.frame();
      });
    }),
    { seed: 36, numRuns: 300 },
  );
});

it('finds contiguous frames among freed ones', () => {
  const { arena, allocator } = setUp();
  const run = allocator.frames(5);
  allocator.retire(
    Array.from({ length: 5 }, (_, i) => run + (4 - i) * FRAME_BYTES),
    [],
  );
  const { frames } = arena;
  assert.equal(allocator.frames(5), run);
  assert.equal(arena.frames, frames);
});

it('frees the memory of a very large namespace in one call', () => {
  const { allocator } = setUp();
  const block = allocator.block();
  const frame = allocator.frame();
  allocator.retire(new Array(600_000).fill(frame), new Array(600_000).fill(block));
  assert.equal(allocator.block(), block);
  assert.equal(allocator.frame(), frame);
});
