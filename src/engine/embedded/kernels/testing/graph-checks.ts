// Assertions on graphs: recall, bounds of degree, reachability.
import assert from 'node:assert/strict';
import type { GraphSearch } from '../graph.ts';
import { GRAPH_ENTRY_POINT_COUNT, GRAPH_ENTRY_POINTS } from '../layout.ts';
import type { GraphFixture } from './graph-fixture.ts';

const K = 10;

/** The mean share of the true 10 best that a search returns; ties with the tenth count. */
export function recallAt10(
  fixture: GraphFixture,
  queries: readonly Float32Array[],
  search: {
    readonly ef: number;
    readonly bitmap?: number;
    readonly isMatch?: (slot: number) => boolean;
    readonly rescored?: number;
    readonly termination?: GraphSearch['termination'];
    readonly filtered?: GraphSearch['filtered'];
  },
): number {
  const { isMatch = () => true } = search;
  const slots = Array.from({ length: fixture.layout.slots }, (_, slot) => slot).filter(isMatch);
  let found = 0;
  let expected = 0;
  for (const query of queries) {
    const hits = fixture.search(query, search);
    for (const { slot } of hits) assert.ok(isMatch(slot), `${slot} is not matching`);
    assert.equal(new Set(hits.map((hit) => hit.slot)).size, hits.length, 'each slot once');
    const truth = fixture.rank(slots).slice(0, K);
    const worst = truth.at(-1)?.score ?? 0;
    found += Math.min(truth.length, hits.filter((hit) => hit.score >= worst).length);
    expected += truth.length;
  }
  return found / expected;
}

/** The slots that edges lead to from the first entry point. */
export function reachable(fixture: GraphFixture): Set<number> {
  const { u32 } = fixture;
  const at = fixture.layout.graph / 4;
  if (u32[at + GRAPH_ENTRY_POINT_COUNT / 4] === 0) return new Set();
  const reached = new Set([u32[at + GRAPH_ENTRY_POINTS / 4] ?? 0]);
  for (const slot of reached) for (const link of fixture.nodes.neighborsOf(slot)) reached.add(link);
  return reached;
}

/**
 * Asserts that exactly the live slots are reachable, and that no node has too many edges, duplicates, or one to itself.
 */
export function assertSound(
  fixture: GraphFixture,
  options: { readonly maxDegree: number; readonly isLive?: (slot: number) => boolean },
): void {
  const { isLive = () => true, maxDegree } = options;
  const reached = reachable(fixture);
  for (let slot = 0; slot < fixture.layout.slots; slot++) {
    assert.equal(reached.has(slot), isLive(slot), `slot ${slot}`);
    const neighbors = fixture.nodes.neighborsOf(slot);
    assert.ok(neighbors.length <= maxDegree);
    assert.equal(new Set(neighbors).size, neighbors.length);
    assert.ok(!neighbors.includes(slot));
  }
}

/** Slots that a search without clusters enters at. */
export function entryPointsOf({ layout, u32 }: GraphFixture): readonly number[] {
  const count = u32[(layout.graph + GRAPH_ENTRY_POINT_COUNT) / 4] ?? 0;
  const first = (layout.graph + GRAPH_ENTRY_POINTS) / 4;
  return [...u32.subarray(first, first + count)];
}

/** The distance of each slot from the query, as searches measure it. */
export function distancesFrom(fixture: GraphFixture, query: Float32Array): readonly number[] {
  const { slots } = fixture.layout;
  fixture.prepare(query);
  const all = fixture.searchGraph(slots, { ties: slots });
  assert.ok(all !== null && all.count === slots);
  const distances = new Array<number>(slots).fill(0);
  for (const { slot, key } of fixture.keysOf(all)) {
    distances[slot] = fixture.metric === 'cosine' ? 1 - key : -key;
  }
  return distances;
}
