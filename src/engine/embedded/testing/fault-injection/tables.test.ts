// A graph never points to a freed address table, however its growth ends.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { GraphMemory } from '../../ann/graph-memory.ts';
import { nodesPerFrame } from '../../kernels/graph.ts';
import { loadKernel } from '../../kernels/kernel.ts';
import { GRAPH_CODE_FRAMES, GRAPH_NODE_FRAMES } from '../../kernels/layout.ts';
import { Allocator, ArenaFull } from '../../memory/allocator.ts';
import { Arena } from '../../memory/arena.ts';
import { Epochs } from '../../memory/epochs.ts';
import { FrameBudget } from '../../memory/frame-budget.ts';

const ENTRIES_A_BLOCK = 1_024;

function setUp() {
  const arena = Arena.create();
  const epochs = new Epochs(Epochs.allocate(1));
  const budget = FrameBudget.of(Number.MAX_SAFE_INTEGER);
  const allocator = new Allocator(arena, { epochs, budget });
  const kernel = loadKernel(arena.memory);
  const graph = new GraphMemory({
    arena,
    allocator,
    kernel,
    dimension: 192,
    metric: 'euclidean',
    hasNodeCodes: false,
  });
  const word = (byte: number) => new Uint32Array(arena.memory.buffer)[(graph.address + byte) / 4];
  return { allocator, graph, word, epochs };
}

const FEW = 10;
const MANY = ENTRIES_A_BLOCK + 10;
const codeFrames = (count: number) => Array.from({ length: count }, (_, i) => (i + 1) * 65_536);
const slotsOf = (frames: number) => frames * nodesPerFrame(48);

it('points the graph at its own tables although the second of them cannot grow', (test) => {
  const { allocator, graph, word } = setUp();
  graph.reach(slotsOf(FEW), codeFrames(FEW));
  const retired = new Set<number>();
  const retire = allocator.retire.bind(allocator);
  test.mock.method(allocator, 'retire', (frames: readonly number[], blocks: readonly number[]) => {
    for (const address of [...frames, ...blocks]) retired.add(address);
    retire(frames, blocks);
  });
  let tables = 0;
  const original = allocator.frames.bind(allocator);
  test.mock.method(allocator, 'frames', (count: number) => {
    if (++tables === 2) throw new ArenaFull();
    return original(count);
  });
  assert.throws(() => graph.reach(slotsOf(MANY), codeFrames(MANY)), ArenaFull);
  for (const table of [GRAPH_CODE_FRAMES, GRAPH_NODE_FRAMES])
    assert.ok(!retired.has(word(table) ?? 0), 'the table is given back');
});

it('frees a table only when the graph no longer points to it', (test) => {
  const { allocator, graph, word } = setUp();
  graph.reach(slotsOf(FEW), codeFrames(FEW));
  const retire = allocator.retire.bind(allocator);
  test.mock.method(allocator, 'retire', (frames: readonly number[], blocks: readonly number[]) => {
    for (const address of [...frames, ...blocks]) {
      assert.notEqual(word(GRAPH_CODE_FRAMES), address, 'readers who come now still find it');
      assert.notEqual(word(GRAPH_NODE_FRAMES), address, 'readers who come now still find it');
    }
    retire(frames, blocks);
  });
  graph.reach(slotsOf(MANY), codeFrames(MANY));
});
