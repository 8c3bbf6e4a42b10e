// Sketches: what regions keep of centres and samples is of their rows, and tells as well as these where walks are to begin.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { sampleCount } from '../ann/cluster-sizing.ts';
import { trainRegions } from '../ann/cluster-training.ts';
import { LINKS_BOUND, SAMPLE_SHIFT } from './layout.ts';
import { readMiddle, readSketches } from './testing/cluster-lists.ts';
import { recallAt10 } from './testing/graph-checks.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { graphVectors } from './testing/graph-vectors.ts';

/** Neither whole bytes of bits nor whole vectors of codes. */
const DIM = 139;
/** Regions are chosen at 1,024. */
const ROWS = 1_300;
/** As far from 0 as no row is from another. */
const OFFSET = 30;

for (const build of ['plain', 'relaxed'] as const)
  for (const metric of ['cosine', 'euclidean', 'dotproduct'] as const)
    test(`${build}, ${metric}: a sketch is the signs of a sample as seen from the middle, and how far it lies from there`, () => {
      const { rows } = graphVectors('unnormalised', { dim: DIM, rows: ROWS, queries: 1 });
      const fixture = new GraphFixture({ build, metric, rows });
      fixture.insert();
      const middle = readMiddle(fixture.memory, fixture.places);
      for (const [sample, { bits, norm }] of sketchesOf(fixture).entries()) {
        const row = rows[sample << SAMPLE_SHIFT] ?? new Float32Array(DIM);
        const length = metric === 'cosine' ? Math.hypot(...row) : 1;
        const seen = row.map((value, at) => value / length - (middle[at] ?? 0));
        // What codes lose, at most: half of one.
        const lost = Math.max(...row.map(Math.abs)) / length / 127;
        for (const [at, value] of seen.entries())
          if (Math.abs(value) > lost) assert.equal(isSet(bits, at), value < 0, `${sample}, ${at}`);
        assert.ok(Math.abs(norm - Math.hypot(...seen)) <= lost * Math.sqrt(DIM));
      }
    });

test('rows that lie far from 0 are seen from among them: half of their signs are negative', () => {
  const { rows } = graphVectors('hard', { dim: DIM, rows: ROWS, queries: 1 });
  const far = rows.map((row) => row.map((value) => value + OFFSET * (rows[0]?.[0] ?? 1)));
  const fixture = new GraphFixture({ build: 'relaxed', metric: 'euclidean', rows: far });
  fixture.insert();
  const signs = sketchesOf(fixture).flatMap(({ bits }) =>
    Array.from(rows[0] ?? [], (_, at) => isSet(bits, at)),
  );
  const share = signs.filter((sign) => sign).length / signs.length;
  assert.ok(share > 0.4 && share < 0.6, `${share}`);
});

for (const [data, metric] of [
  ['hard', 'cosine'],
  ['clustered', 'euclidean'],
  ['unnormalised', 'dotproduct'],
] as const)
  test(`${data}, ${metric}: of many regions the nearest are found by their sketches`, () => {
    const { rows, queries } = graphVectors(data, { dim: DIM, rows: 3_000, queries: 30 });
    const [without, by] = [false, true].map((hasRegions) => {
      const fixture = new GraphFixture({ build: 'relaxed', metric, rows, hasRegions, alpha: 1.5 });
      fixture.insert();
      if (hasRegions) chooseRegions(fixture, 180);
      return recallAt10(fixture, queries, { keep: 40, stop: { settled: 12, patience: 6 } });
    });
    assert.ok((by ?? 0) >= (without ?? 1) - 0.01, `${by} and ${without}`);
  });

test('two threads that insert at once sketch each sample, and put it in one list', async () => {
  const { rows } = graphVectors('hard', { dim: DIM, rows: 2 * ROWS, queries: 1 });
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows });
  fixture.insert(0, ROWS);
  const { graph, slots, scratches } = fixture.places;
  const task = { memory: fixture.memory, places: fixture.places, breadth: 64, first: ROWS, step: 2 };
  const worker = new Worker(new URL('./testing/graph-inserter.ts', import.meta.url), { workerData: task });
  const ended = once(worker, 'exit');
  await once(worker, 'online');
  for (let slot = ROWS + 1; slot < slots; slot += 2)
    fixture.kernel.graph.insert({ graph, slot, slotLimit: slots, breadth: 64, scratch: scratches[0] });
  assert.deepEqual(await ended, [0]);
  const listed = fixture.regions().flat();
  assert.deepEqual(
    listed.sort((a, b) => a - b),
    Array.from({ length: sampleCount(slots) }, (_, sample) => sample << SAMPLE_SHIFT),
  );
  const sketches = sketchesOf(fixture);
  const regions = fixture.regionsAddress;
  fixture.kernel.graph.sketchSamples({ graph, regions, from: 0, until: sampleCount(slots) });
  assert.deepEqual(sketchesOf(fixture), sketches);
  assert.ok(sketches.every(({ norm }) => norm > 0));
});

function sketchesOf({ memory, places }: GraphFixture) {
  return readSketches(memory, { ...places, samples: sampleCount(places.slots) });
}

function isSet(bits: Uint8Array, at: number): boolean {
  return (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) !== 0;
}

/** Gives the graph more regions than measuring all of them would take. */
function chooseRegions(fixture: GraphFixture, count: number): void {
  const { scratch, ...training } = fixture.regionTraining(fixture.places.slots);
  const steps = trainRegions(fixture.kernel, fixture.memory, { training: { ...training, count }, scratch });
  while (steps.next().done !== true);
  fixture.kernel.graph.useRegions(training.graph, training.regions);
  assert.ok(fixture.regions().length > LINKS_BOUND);
}
