// Checks the invariants of a segment's graph: every live slot below its limit is reachable or unplaced, no edge leads out
// of it, it counts its nodes, each sample is in the list of one cluster, and each binary code belongs to its row.
import assert from 'node:assert/strict';
import { sampleCount } from '../../ann/cluster-sizing.ts';
import type { GraphMemory } from '../../ann/graph-memory.ts';
import {
  GRAPH_CLUSTERS,
  GRAPH_COUNT,
  GRAPH_ENTRY_POINT_COUNT,
  GRAPH_ENTRY_POINTS,
  SAMPLE_SHIFT,
} from '../../kernels/layout.ts';
import { readBinaryCodes, readClusters } from '../../kernels/testing/cluster-lists.ts';
import { GraphNodes } from '../../kernels/testing/graph-nodes.ts';
import type { SegmentWriter } from '../../segments/segment-writer.ts';

/** No job may be running on the graph. */
export function assertGraphIsSound(segment: SegmentWriter): void {
  const { graph } = segment.graphIndex;
  if (graph === null) return;
  const words = new Uint32Array(segment.context.arena.memory.buffer);
  const header = (byte: number) => words[(graph.address + byte) / 4] ?? 0;
  const nodes = new GraphNodes(segment.context.arena.memory, graph.address);
  const unplacedCount = words[graph.unplaced / 4] ?? 0;
  const unplaced = new Set(words.subarray(graph.unplaced / 4 + 1, graph.unplaced / 4 + 1 + unplacedCount));
  const present = Array.from({ length: graph.begun }, (_, slot) => slot).filter((slot) =>
    nodes.isPresent(slot),
  );
  for (const slot of present) {
    assert.ok(!nodes.isLocked(slot), `slot ${slot} is locked`);
    const neighbors = nodes.neighborsOf(slot);
    assert.equal(new Set(neighbors).size, neighbors.length, `slot ${slot} has an edge twice`);
    assert.ok(!neighbors.includes(slot), `slot ${slot} has an edge to itself`);
    for (const neighbor of neighbors)
      assert.ok(neighbor < graph.begun, `slot ${slot} has an edge to ${neighbor} of ${graph.begun}`);
  }
  const firstEntry = header(GRAPH_ENTRY_POINTS);
  const reached = new Set(header(GRAPH_ENTRY_POINT_COUNT) === 0 ? [] : [firstEntry]);
  for (const slot of reached) for (const neighbor of nodes.neighborsOf(slot)) reached.add(neighbor);
  const lost = [...segment.data.live.slots(0, graph.slots)].filter(
    (slot) => !unplaced.has(slot) && !reached.has(slot),
  );
  assert.deepEqual(lost, [], 'every live slot is reachable');
  assert.equal(header(GRAPH_COUNT), present.length, 'the graph counts its nodes');
  const { arena, dimension } = segment.context;
  const clusters = readClusters(arena.memory, { graph: graph.address, dim: dimension ?? 0 });
  if (clusters === null) return;
  const listed = clusters.flat().filter((slot) => slot < graph.begun);
  const samples = present.filter((slot) => slot % 2 ** SAMPLE_SHIFT === 0);
  assert.deepEqual(
    listed.toSorted((a, b) => a - b),
    samples,
    'each sample is in one list',
  );
  assertBinaryCodes(segment, graph);
}

/** Binary codes that are computed again are the same. */
function assertBinaryCodes({ context }: SegmentWriter, { address, begun }: GraphMemory): void {
  const { memory } = context.arena;
  const places = { graph: address, dim: context.dimension ?? 0, samples: sampleCount(begun) };
  const before = readBinaryCodes(memory, places);
  context.kernel.graph.binarizeSamples({
    graph: address,
    clusters: Atomics.load(new Uint32Array(memory.buffer), (address + GRAPH_CLUSTERS) / 4),
    from: 0,
    until: places.samples,
  });
  assert.deepEqual(readBinaryCodes(memory, places), before, 'each binary code belongs to its row');
}
