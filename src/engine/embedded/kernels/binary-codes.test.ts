// Binary codes: those of centroids and samples are the signs of their rows, and select entry points as well as
// distances do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { sampleCount } from '../ann/cluster-sizing.ts';
import { trainClusters } from '../ann/cluster-training.ts';
import { MAX_DEGREE_BOUND, SAMPLE_SHIFT } from './layout.ts';
import { readBinaryCodes, readMean } from './testing/cluster-lists.ts';
import { recallAt10 } from './testing/graph-checks.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { graphVectors } from './testing/graph-vectors.ts';

/** Neither whole bytes of bits nor whole vectors of codes. */
const DIM = 139;
/** Clusters are trained at 1,024 slots. */
const ROWS = 1_300;
/** Farther from 0 than any row is from another. */
const OFFSET = 30;

for (const build of ['plain', 'relaxed'] as const)
  for (const metric of ['cosine', 'euclidean', 'dotproduct'] as const)
    test(`${build}, ${metric}: encodes a sample by its signs relative to the mean, and by its distance from there`, () => {
      const { rows } = graphVectors('unnormalized', { dim: DIM, rows: ROWS, queries: 1 });
      const fixture = new GraphFixture({ build, metric, rows });
      fixture.insert();
      const middle = readMean(fixture.memory, fixture.layout);
      for (const [sample, { bits, norm }] of binaryCodesOf(fixture).entries()) {
        const row = rows[sample << SAMPLE_SHIFT] ?? new Float32Array(DIM);
        const length = metric === 'cosine' ? Math.hypot(...row) : 1;
        const seen = row.map((value, at) => value / length - (middle[at] ?? 0));
        // The maximum loss of a code: half a step.
        const lost = Math.max(...row.map(Math.abs)) / length / 127;
        for (const [at, value] of seen.entries())
          if (Math.abs(value) > lost) assert.equal(isSet(bits, at), value < 0, `${sample}, ${at}`);
        assert.ok(Math.abs(norm - Math.hypot(...seen)) <= lost * Math.sqrt(DIM));
      }
    });

test('centers rows that lie far from 0, so that half of their signs are negative', () => {
  const { rows } = graphVectors('hard', { dim: DIM, rows: ROWS, queries: 1 });
  const far = rows.map((row) => row.map((value) => value + OFFSET * (rows[0]?.[0] ?? 1)));
  const fixture = new GraphFixture({ build: 'relaxed', metric: 'euclidean', rows: far });
  fixture.insert();
  const signs = binaryCodesOf(fixture).flatMap(({ bits }) =>
    Array.from(rows[0] ?? [], (_, at) => isSet(bits, at)),
  );
  const share = signs.filter((sign) => sign).length / signs.length;
  assert.ok(share > 0.4 && share < 0.6, `${share}`);
});

for (const [data, metric] of [
  ['hard', 'cosine'],
  ['clustered', 'euclidean'],
  ['unnormalized', 'dotproduct'],
] as const)
  test(`${data}, ${metric}: finds the nearest of many clusters by their binary codes`, () => {
    const { rows, queries } = graphVectors(data, { dim: DIM, rows: 3_000, queries: 30 });
    const [without, by] = [false, true].map((hasClusters) => {
      const fixture = new GraphFixture({ build: 'relaxed', metric, rows, hasClusters, alpha: 1.5 });
      fixture.insert();
      if (hasClusters) trainClusters_(fixture, 180);
      return recallAt10(fixture, queries, {
        ef: 40,
        termination: { stableResults: 12, patience: 6, slack: null },
      });
    });
    assert.ok((by ?? 0) >= (without ?? 1) - 0.01, `${by} and ${without}`);
  });

test('encodes each sample, and lists it once, while two threads insert', async () => {
  const { rows } = graphVectors('hard', { dim: DIM, rows: 2 * ROWS, queries: 1 });
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows });
  fixture.insert(0, ROWS);
  const { graph, slots, scratches } = fixture.layout;
  const task = { memory: fixture.memory, layout: fixture.layout, efConstruction: 64, first: ROWS, step: 2 };
  const worker = new Worker(new URL('./testing/graph-inserter.ts', import.meta.url), { workerData: task });
  const ended = once(worker, 'exit');
  await once(worker, 'online');
  for (let slot = ROWS + 1; slot < slots; slot += 2)
    fixture.kernel.graph.insert({ graph, slot, slotLimit: slots, efConstruction: 64, scratch: scratches[0] });
  assert.deepEqual(await ended, [0]);
  const listed = fixture.clusters().flat();
  assert.deepEqual(
    listed.sort((a, b) => a - b),
    Array.from({ length: sampleCount(slots) }, (_, sample) => sample << SAMPLE_SHIFT),
  );
  const binaryCodes = binaryCodesOf(fixture);
  const clusters = fixture.clustersAddress;
  fixture.kernel.graph.binarizeSamples({ graph, clusters, from: 0, until: sampleCount(slots) });
  assert.deepEqual(binaryCodesOf(fixture), binaryCodes);
  assert.ok(binaryCodes.every(({ norm }) => norm > 0));
});

function binaryCodesOf({ memory, layout }: GraphFixture) {
  return readBinaryCodes(memory, { ...layout, samples: sampleCount(layout.slots) });
}

function isSet(bits: Uint8Array, at: number): boolean {
  return (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) !== 0;
}

/** Gives the graph more clusters than are measured one by one. */
function trainClusters_(fixture: GraphFixture, count: number): void {
  const { scratch, ...training } = fixture.clusterTraining(fixture.layout.slots);
  const steps = trainClusters(fixture.kernel, fixture.memory, { training: { ...training, count }, scratch });
  while (steps.next().done !== true);
  fixture.kernel.graph.useClusters(training.graph, training.clusters);
  assert.ok(fixture.clusters().length > MAX_DEGREE_BOUND);
}
