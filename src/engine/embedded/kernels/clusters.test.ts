// Clusters: every sample of a graph is in the list of exactly one, whose centroid is near, until it is deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areClustersDue, clusterCount, sampleCount } from '../ann/cluster-sizing.ts';
import { SAMPLE_SHIFT } from './layout.ts';
import { recallAt10 } from './testing/graph-checks.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { GRAPH_DATA, graphVectors } from './testing/graph-vectors.ts';

const ROWS = 3_000;
const DIM = 24;

for (const build of ['plain', 'relaxed'] as const) {
  test(`${build}: lists every sample once, also those inserted after training, until it is deleted`, () => {
    const { rows } = graphVectors('hard', { dim: DIM, rows: ROWS, queries: 1 });
    const fixture = new GraphFixture({ build, metric: 'cosine', rows });
    fixture.insert();
    const all = Array.from({ length: sampleCount(ROWS) }, (_, sample) => sample << SAMPLE_SHIFT);
    assert.deepEqual(listed(fixture), all);
    const isLive = (slot: number) => slot % 3 !== 0;
    fixture.setBits(fixture.layout.live, isLive);
    fixture.removeDeleted();
    assert.deepEqual(listed(fixture), all.filter(isLive));
  });
}

for (const metric of ['cosine', 'euclidean', 'dotproduct'] as const) {
  test(`${metric}: assigns samples to a cluster whose centroid is nearer than most others`, () => {
    const { rows } = graphVectors('unnormalized', { dim: DIM, rows: ROWS, queries: 1 });
    const fixture = new GraphFixture({ build: 'plain', metric, rows });
    fixture.insert();
    // Unit vectors for the cosine, distances for the others: by dot product, long rows would be near to all.
    const points = rows.map((row) => (metric === 'cosine' ? unit(row) : row));
    const clusters = fixture.clusters();
    const means = clusters.map((slots) => meanOf(slots.map((slot) => points[slot] ?? new Float32Array(DIM))));
    const ranks = clusters.flatMap((slots, cluster) =>
      slots.map((slot) => {
        const own = squaredDistance(points[slot], means[cluster]);
        return means.filter((mean) => squaredDistance(points[slot], mean) < own).length / means.length;
      }),
    );
    const nearShare = ranks.filter((rank) => rank < 0.1).length / ranks.length;
    assert.ok(nearShare >= 0.95, `${nearShare}`);
  });
}

for (const data of GRAPH_DATA) {
  test(`${data}: finds no less from entry points in clusters than from those of the graph alone`, () => {
    const { rows, queries } = graphVectors(data, { dim: DIM, rows: ROWS, queries: 40 });
    const termination = { stableResults: 12, patience: 6, slack: null };
    const [without, by] = [false, true].map((hasClusters) => {
      const fixture = new GraphFixture({ build: 'relaxed', metric: 'cosine', rows, hasClusters });
      fixture.insert();
      return recallAt10(fixture, queries, { ef: 40, termination });
    });
    assert.ok((by ?? 0) >= (without ?? 1) - 0.01, `${by} and ${without}`);
    assert.ok((by ?? 0) >= 0.95, `${by}`);
  });
}

test('grows the number of clusters with the root of the slots, and trains them again when a graph has doubled', () => {
  assert.equal(clusterCount(1_000), 0);
  assert.equal(clusterCount(1_024), 16);
  assert.equal(clusterCount(1_000_000), 2_000);
  assert.deepEqual(
    [1_023, 1_024, 2_047, 2_048].map((slots) => areClustersDue(slots, slots < 1_025 ? 0 : 1_024)),
    [false, true, false, true],
  );
});

function listed(fixture: GraphFixture): readonly number[] {
  return fixture
    .clusters()
    .flat()
    .sort((a, b) => a - b);
}

function unit(row: Float32Array): Float32Array {
  const norm = Math.hypot(...row);
  return row.map((value) => value / norm);
}

function meanOf(points: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(DIM);
  for (const point of points) for (const [at, value] of point.entries()) sum[at] = (sum[at] ?? 0) + value;
  return sum.map((value) => value / points.length);
}

function squaredDistance(
  a: Float32Array = new Float32Array(DIM),
  b: Float32Array = new Float32Array(DIM),
): number {
  return a.reduce((sum, value, at) => sum + (value - (b[at] ?? 0)) ** 2, 0);
}
