// Bounds of search results: correct, tight, and in the order of scans.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Metric } from '../../../domain/index-model.ts';
import { effort } from '../testing/effort.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { Random } from './testing/hard-vectors.ts';
import { BUILDS, byRank, type Entry, KernelFixture, METRICS } from './testing/kernel-fixture.ts';
import { asKey, isCodable, norm, score } from './testing/reference.ts';
import { SHAPE_NAMES, sampleVector } from './testing/sample-vectors.ts';

const ROWS = 24;

const CASES = fc.record({
  dim: fc.constantFrom(1, 2, 3, 5, 7, 15, 16, 17, 31, 100, 333, 768),
  rowShape: fc.constantFrom(...SHAPE_NAMES),
  queryShape: fc.constantFrom(...SHAPE_NAMES, 'a row' as const),
  metric: fc.constantFrom(...METRICS),
  isHybrid: fc.boolean(),
  seed: fc.integer({ min: 1, max: 2 ** 30 }),
});
type Case = typeof CASES extends fc.Arbitrary<infer T> ? T : never;

/** Rows of one shape, some of them zero or equal, as graphs may contain them. */
function sampleRows({ rowShape, dim }: Case, random: Random): Float32Array[] {
  const rows: Float32Array[] = [new Float32Array(dim)];
  while (rows.length < ROWS) {
    const row = sampleVector(random.integer(4) === 0 ? 'normal' : rowShape, dim, random);
    rows.push(random.integer(6) === 0 ? (rows.at(-1) ?? row) : row);
  }
  return rows;
}

/** Rounding by which the two computations of a bound may differ, far below the slack of either. */
function roundingOf(metric: Metric, query: Float32Array, row: Float32Array): number {
  const [q, x] = [norm(query), norm(row)];
  return 2e-6 * (metric === 'cosine' ? 1 : metric === 'euclidean' ? (q + x) ** 2 : q * x);
}

for (const build of BUILDS) {
  const scans = new KernelFixture(build);

  test(`${build}: bounds results never below the true score, as scans do, best first`, () => {
    fc.assert(
      fc.property(CASES, (sample) => {
        const { dim, metric, queryShape, isHybrid } = sample;
        const random = new Random(sample.seed);
        const rows = sampleRows(sample, random);
        const query = queryShape === 'a row' ? rows[ROWS - 1] : sampleVector(queryShape, dim, random);
        assert.ok(query !== undefined);
        const fixture = new GraphFixture({ build, metric, rows, maxDegree: 32, beamCapacity: 64 });
        fixture.insert();
        fixture.prepare(query);
        const found = fixture.searchGraph(ROWS, { ties: ROWS });
        if (found === null) return assert.ok(!isCodable(query));
        const sparse = rows.map(() => (isHybrid ? Math.fround(random.normal() * norm(query)) : 0));
        const bounds = fixture.bound(found, isHybrid ? Float32Array.from(sparse) : null);

        scans.load(rows);
        scans.f32.set(sparse, scans.sparseScores / 4);
        scans.prepare(metric, query);
        const scanned = scans.scan(ROWS, { sparse: isHybrid }).entries;
        const scannedKeys = new Map(scanned.map(({ slot, key }) => [slot, key]));
        assert.deepEqual(bounds, bounds.toSorted(byRank));
        assert.equal(new Set(bounds.map(({ slot }) => slot)).size, found.count);
        for (const { slot, key } of bounds) {
          const row = rows[slot] ?? query;
          const exact: number = asKey(metric, score(metric, query, row)) + (sparse[slot] ?? 0);
          const rescored = asKey(metric, scans.scoreOf(slot)) + (sparse[slot] ?? 0);
          assert.ok(key >= exact && key >= rescored, `${key} is below ${exact} or ${rescored}`);
          const scannedKey = scannedKeys.get(slot) ?? Number.NaN;
          const apart = key === scannedKey ? 0 : Math.abs(key - scannedKey);
          const rounding: number = roundingOf(metric, query, row) + 1e-6 * Math.abs(sparse[slot] ?? 0);
          assert.ok(apart <= rounding, `${key} is not the ${scannedKey} of a scan`);
        }
      }),
      { seed: 20260702, numRuns: effort({ daily: 500, long: 1_500 }) },
    );
  });
}

test('scores the best by bound until the rest cannot win, and gives the exact order', () => {
  const random = new Random(5);
  const rows = Array.from({ length: 500 }, () => sampleVector('normal', 100, random));
  for (const metric of METRICS) {
    const fixture = new GraphFixture({ build: 'plain', metric, rows });
    fixture.insert();
    fixture.prepare(sampleVector('normal', 100, random));
    const found = fixture.searchGraph(100);
    assert.ok(found !== null);
    const bounds = fixture.bound(found, null);
    const best: Entry[] = [];
    let scored = 0;
    for (const { slot, key } of bounds) {
      if ((best[9]?.key ?? -Infinity) > key) break;
      const [hit] = fixture.rank([slot]);
      best.push({ slot, key: hit?.score ?? Number.NaN });
      best.sort(byRank);
      scored++;
    }
    const truth = fixture.rank(bounds.map(({ slot }) => slot)).slice(0, 10);
    assert.deepEqual(
      best.slice(0, 10).map(({ slot }) => slot),
      truth.map(({ slot }) => slot),
    );
    assert.ok(scored < 40, `${scored} of 100 scored`);
  }
});
