// A graph whose memory does not fit leaves nothing behind, and is whole when it fits later.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadKernel } from '../kernels/kernel.ts';
import { Allocator, ArenaFull, BLOCK_BYTES, blocksOf } from '../memory/allocator.ts';
import { Arena, FRAME_BYTES } from '../memory/arena.ts';
import { Epochs } from '../memory/epochs.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { GraphMemory } from './graph-memory.ts';

const FRAMES_MAX = 40;
/** Of code frames: their list no longer fits into a block, and moves to a frame. */
const FRAMES_LISTED = 1_025;
const SLOTS = 8;

function makeContext() {
  const arena = Arena.create(FRAMES_MAX);
  const epochs = new Epochs(Epochs.allocate(1));
  const budget = FrameBudget.of(Number.MAX_SAFE_INTEGER);
  const allocator = new Allocator(arena, { epochs, budget, framesMax: FRAMES_MAX });
  const kernel = loadKernel(arena.memory);
  return { arena, allocator, kernel, dimension: 192, metric: 'cosine', hasNodeCodes: true } as const;
}

type Context = ReturnType<typeof makeContext>;

/** Takes all frames that are free. */
function fill({ allocator }: Context): number[] {
  const frames: number[] = [];
  while (allocator.available > 0) frames.push(allocator.frame());
  return frames;
}

/** A list of code frames, all of which are one frame with some content. */
function codeFrames({ arena, allocator }: Context): readonly number[] {
  const frame = allocator.frame();
  arena.bytes(frame + FRAME_BYTES).fill(0x3c, frame, frame + FRAME_BYTES);
  return Array.from({ length: FRAMES_LISTED }, () => frame);
}

function centerOf(graph: GraphMemory): Uint8Array {
  const part = graph.save().parts.find(({ name }) => name === 'center');
  assert.ok(part !== undefined && 'bytes' in part);
  return part.bytes;
}

it('has its center when its memory fits only at the second attempt', () => {
  const fitting = makeContext();
  const expected = new GraphMemory(fitting);
  expected.reach(SLOTS, codeFrames(fitting));
  assert.ok(centerOf(expected).some((byte) => byte !== 0));

  const tight = makeContext();
  const graph = new GraphMemory(tight);
  const codes = codeFrames(tight);
  const [forNodes = 0, forList = 0] = fill(tight);
  tight.allocator.retire([forNodes], []);
  assert.throws(() => graph.reach(SLOTS, codes), ArenaFull);
  tight.allocator.retire([forList], []);
  graph.reach(SLOTS, codes);
  assert.deepEqual(centerOf(graph), centerOf(expected));
});

it('takes no memory when it does not fit', () => {
  const context = makeContext();
  const [last = 0] = fill(context);
  context.allocator.retire([last], []);
  for (let attempt = 0; attempt < 3; attempt++) assert.throws(() => new GraphMemory(context), ArenaFull);
  // All blocks of the frame are free.
  assert.equal(blocksOf(context.allocator, FRAME_BYTES / BLOCK_BYTES).length, 16);
});
