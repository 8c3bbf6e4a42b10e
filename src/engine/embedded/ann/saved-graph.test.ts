// What files keep of a graph has the names of 0.1.0, so that graphs of older data directories are read instead of rebuilt.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadKernel } from '../kernels/kernel.ts';
import { Allocator } from '../memory/allocator.ts';
import { Arena } from '../memory/arena.ts';
import { Epochs } from '../memory/epochs.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { ClusterMemory } from './cluster-memory.ts';
import { GraphMemory, isSameShape, type NodeShape } from './graph-memory.ts';

function makeContext({ hasNodeCodes = false } = {}) {
  const arena = Arena.create();
  const epochs = new Epochs(Epochs.allocate(1));
  const allocator = new Allocator(arena, {
    epochs,
    budget: FrameBudget.of(Number.MAX_SAFE_INTEGER),
  });
  const kernel = loadKernel(arena.memory);
  return { arena, allocator, kernel, dimension: 192, metric: 'cosine', hasNodeCodes } as const;
}

it('saves a graph under the names that 0.1.0 reads', () => {
  const { state, parts } = new GraphMemory(makeContext()).save();
  assert.deepEqual(state, { slots: 0, nodeFrames: 0, linksMax: 48, regions: null });
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['graph', 'unplaced', 'nodes'],
  );
});

it('restores a list of rejected slots that is longer than those of 0.1.0', () => {
  const rejected = Array.from({ length: 1_100 }, (_, at) => 100 * at);
  const graph = new GraphMemory(makeContext());
  assert.ok(graph.advance(110_000, rejected, { slotCount: 110_000, isLive: () => true }));
  const { state, parts } = graph.save();
  const context = makeContext();
  const again = new GraphMemory(context);
  const restoring = again.restore(JSON.parse(JSON.stringify(state)));
  for (const part of restoring.parts) {
    const saved = parts.find(({ name }) => name === part.name);
    if ('bytes' in part && saved !== undefined && 'bytes' in saved) part.bytes.set(saved.bytes);
  }
  restoring.finish([]);
  const words = context.arena.words(again.unplaced + 4 * 1_101).subarray(again.unplaced / 4);
  assert.deepEqual([...words.subarray(0, 1_101)], [1_100, ...rejected]);
});

it('lists as many rejected slots as its segment is large, however few of them are in the graph yet', () => {
  const rejected = Array.from({ length: 1_100 }, (_, at) => at);
  const isLive = () => true;
  const graph = new GraphMemory(makeContext());
  assert.equal(graph.advance(8_192, rejected, { slotCount: 8_192, isLive }), false);
  assert.equal(graph.slots, 0);
  assert.ok(graph.advance(8_192, rejected, { slotCount: 110_000, isLive }));
  assert.equal(graph.slots, 8_192);
});

it('tells a graph whose nodes have binary codes from others, and saves the center of the codes', () => {
  const { state, parts } = new GraphMemory(makeContext({ hasNodeCodes: true })).save();
  const without = new GraphMemory(makeContext()).save();
  const [shape, plain] = [true, false].map((hasNodeCodes) => ({ dimension: 192, hasNodeCodes })) as [
    NodeShape,
    NodeShape,
  ];
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['graph', 'unplaced', 'nodes', 'center'],
  );
  assert.deepEqual([isSameShape(state, shape), isSameShape(state, plain)], [true, false]);
  assert.deepEqual([isSameShape(without.state, shape), isSameShape(without.state, plain)], [false, true]);
});

it('saves clusters under the names that 0.1.0 reads, and binary codes beside them', () => {
  const clusters = new ClusterMemory(makeContext(), { count: 4, trainedAt: 64, slotLimit: 64 });
  const { state, parts } = clusters.save();
  assert.deepEqual(state, {
    count: 4,
    chosenAt: 64,
    centreFrames: 1,
    sampleBlocks: 1,
    binaryCodeFrames: 1,
  });
  assert.deepEqual(
    parts.map(({ name }) => name),
    ['regions', 'samples', 'binary codes'],
  );
});
