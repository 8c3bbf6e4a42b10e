// Filtered searches of graphs, and deletion of nodes from them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairs } from '../testing/effort.ts';
import { GRAPH_COUNT } from './layout.ts';
import { assertSound, recallAt10 } from './testing/graph-checks.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { GRAPH_DATA, graphVectors } from './testing/graph-vectors.ts';
import { METRICS } from './testing/kernel-fixture.ts';

const MAX_DEGREE = 48;
const SHAPE = { dim: 48, rows: 4000, queries: 40 };

/** Deterministic, and unrelated to any order of the rows. */
function isChosen(slot: number, percent: number): boolean {
  return (Math.imul(slot + 1, 0x9e3779b1) >>> 8) % 100 < percent;
}

for (const data of GRAPH_DATA) {
  const { rows, queries } = graphVectors(data, SHAPE);
  const metric = data === 'unnormalized' ? 'dotproduct' : 'cosine';

  test(`${data}, ${metric}: finds only matches, with a recall@10 of 0.98, where 50, 10 and 1 % match`, () => {
    const fixture = new GraphFixture({
      build: 'plain',
      metric,
      rows,
      maxDegree: MAX_DEGREE,
      beamCapacity: 4096,
    });
    fixture.insert();
    for (const percent of [50, 10, 1]) {
      const isMatch = (slot: number) => isChosen(slot, percent);
      fixture.setBits(fixture.layout.matching, isMatch);
      const bitmap = fixture.layout.matching;
      const recall = recallAt10(fixture, queries, { ef: 64, bitmap, isMatch });
      assert.ok(recall >= 0.98, `${percent} %: ${recall}`);
    }
  });
}

for (const [metric, data] of pairs(METRICS, ['hard', 'duplicates', 'unnormalized'] as const)) {
  test(`${data}, ${metric}: keeps recall, and the other nodes reachable, when half of the nodes are deleted`, () => {
    const { rows, queries } = graphVectors(data, { ...SHAPE, rows: 3000 });
    const fixture = new GraphFixture({ build: 'plain', metric, rows, maxDegree: MAX_DEGREE });
    fixture.insert();
    const isLive = (slot: number) => isChosen(slot, 50) && slot !== 0;
    const live = rows.filter((_, slot) => isLive(slot)).length;
    fixture.setBits(fixture.layout.live, isLive);
    fixture.removeDeleted();
    assertSound(fixture, { maxDegree: MAX_DEGREE, isLive });
    assert.equal(fixture.u32[(fixture.layout.graph + GRAPH_COUNT) / 4], live);
    const recall = recallAt10(fixture, queries, { ef: 64, isMatch: isLive });
    assert.ok(recall >= 0.98, `${recall}`);
  });
}

test('takes deleted nodes again, into a graph as sound as before', () => {
  const { rows, queries } = graphVectors('hard', { ...SHAPE, rows: 2000 });
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows, maxDegree: MAX_DEGREE });
  fixture.insert();
  fixture.setBits(fixture.layout.live, (slot) => slot >= 1500);
  fixture.removeDeleted();
  const { graph, slots: slotLimit, scratches } = fixture.layout;
  for (let slot = 0; slot < 1500; slot++)
    fixture.kernel.graph.insert({ graph, slot, slotLimit, efConstruction: 64, scratch: scratches[0] });
  assertSound(fixture, { maxDegree: MAX_DEGREE });
  assert.ok(recallAt10(fixture, queries, { ef: 64 }) >= 0.98);
});

test('is empty when all nodes are deleted, and grows again', () => {
  const { rows } = graphVectors('hard', { ...SHAPE, rows: 100 });
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows, maxDegree: 8 });
  fixture.insert();
  fixture.setBits(fixture.layout.live, () => false);
  fixture.removeDeleted();
  assert.deepEqual(fixture.search(rows[0] ?? new Float32Array(48), { ef: 5 }), []);
  fixture.insert();
  assertSound(fixture, { maxDegree: 8 });
});
