// Scans: the bound, the bitmap, and the search that relies on both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Metric } from '../../../domain/index-model.ts';
import { effort, pairs } from '../testing/effort.ts';
import { rowsPerFrame } from './layout.ts';
import { hardVectors, Random } from './testing/hard-vectors.ts';
import { BUILDS, byRank, type Entry, KernelFixture, METRICS } from './testing/kernel-fixture.ts';
import { asKey, encodeRow, isCodable, norm, score } from './testing/reference.ts';
import { SHAPE_NAMES, type Shape, sampleVector } from './testing/sample-vectors.ts';

const DIMS = [...Array.from({ length: 40 }, (_, at) => at + 1), 100, 768, 1537];

/** Queries beyond the shapes: the row itself, its reverse, and what its codes lose (the worst direction there is). */
const RELATED = {
  same: (row: Float32Array) => row,
  opposite: (row: Float32Array) => row.map((value) => -value),
  lost: lostByCodes,
  'opposite of lost': (row: Float32Array) => lostByCodes(row).map((value) => -value),
} as const;
type QueryKind = Shape | keyof typeof RELATED;

function lostByCodes(row: Float32Array): Float32Array {
  const { codes, scale } = encodeRow(row);
  return row.map((value, at) => value - scale * (codes[at] ?? 0));
}

function makeQuery(kind: QueryKind, row: Float32Array, random: Random): Float32Array {
  return kind in RELATED
    ? RELATED[kind as keyof typeof RELATED](row)
    : sampleVector(kind as Shape, row.length, random);
}

const CASES = fc.record({
  dim: fc.constantFrom(...DIMS),
  rowShape: fc.constantFrom(...SHAPE_NAMES),
  queryKind: fc.constantFrom<QueryKind>(
    ...SHAPE_NAMES,
    ...(Object.keys(RELATED) as (keyof typeof RELATED)[]),
  ),
  metric: fc.constantFrom(...METRICS),
  seed: fc.integer({ min: 1, max: 2 ** 30 }),
});

function assertBounded(
  fixture: KernelFixture,
  metric: Metric,
  pair: readonly [Float32Array, Float32Array],
): void {
  const [query, row] = pair;
  fixture.load([row]);
  fixture.prepare(metric, query);
  const key = fixture.scan(1).entries[0]?.key ?? Number.NaN;
  const exact = asKey(metric, score(metric, query, row));
  assert.ok(key >= exact, `key ${key} is below the true score ${exact}`);
  assert.ok(
    key >= asKey(metric, fixture.scoreOf(0)),
    `key ${key} is below the rescored ${fixture.scoreOf(0)}`,
  );
  const isZero = norm(query) === 0 || norm(row) === 0;
  if (!isCodable(query) || !isCodable(row) || isZero) return;
  assert.ok(key - exact <= widthOf(metric, query, row), `key ${key} is far above ${exact}`);
}

/** Twice what the codes of both sides can lose, and the slack: the maximum distance of a bound. */
function widthOf(metric: Metric, query: Float32Array, row: Float32Array): number {
  const [q, x, dim] = [norm(query), norm(row), query.length];
  const codeMax = Math.min(8191, Math.floor((2 ** 31 - 1) / (127 * dim)));
  const lost = q * encodeRow(row).residualNorm + (x * q * Math.sqrt(dim)) / (2 * codeMax);
  const slack = (dim / 16 + 70) * 2 ** -22 * (metric === 'euclidean' ? (q + x) ** 2 : q * x);
  const width = 2.01 * lost + 2 * slack;
  if (metric === 'cosine') return width / (q * x);
  return metric === 'euclidean' ? 2 * width : width;
}

for (const build of BUILDS) {
  const fixture = new KernelFixture(build);

  test(`${build}: bounds the true score from above, tightly`, () => {
    fc.assert(
      fc.property(CASES, ({ dim, rowShape, queryKind, metric, seed }) => {
        const random = new Random(seed);
        const row = sampleVector(rowShape, dim, random);
        assertBounded(fixture, metric, [makeQuery(queryKind, row, random), row]);
      }),
      { seed: 20260701, numRuns: effort({ daily: 3_000, long: 10_000 }) },
    );
  });

  test(`${build}: bounds it at the maximum dimension`, () => {
    const random = new Random(11);
    for (const [shape, metric] of pairs(SHAPE_NAMES, METRICS)) {
      const row = sampleVector(shape, 20_000, random);
      assertBounded(fixture, metric, [sampleVector('normal', 20_000, random), row]);
      assertBounded(fixture, metric, [row, row]);
      assertBounded(fixture, metric, [lostByCodes(row), row]);
    }
  });

  test(`${build}: keeps the entries that sort first among all keys, ties by slot`, () => {
    const random = new Random(3);
    for (const dim of [5, 64, 768]) {
      // Every vector twice or more, so that ties straddle the border of what is kept.
      const distinct = Array.from({ length: 90 }, () => sampleVector('normal', dim, random));
      fixture.load(Array.from({ length: 300 }, () => distinct[random.integer(90)] ?? new Float32Array(dim)));
      fixture.prepare('cosine', sampleVector('normal', dim, random));
      const all = fixture.scan(300).entries;
      assert.deepEqual(all, all.toSorted(byRank));
      assert.equal(new Set(all.map(({ slot }) => slot)).size, 300);
      for (const capacity of [1, 2, 3, 7, 50, 299, 300, 301]) {
        const found = fixture.scan(capacity);
        assert.deepEqual(found.entries, all.slice(0, capacity));
        assert.equal(found.offered, 300);
        assert.equal(found.droppedBound, capacity < 300 ? all[capacity - 1]?.key : -Infinity);
      }
    }
  });

  test(`${build}: offers only matching slots, wherever frames start in the bitmap`, () => {
    const random = new Random(4);
    const dim = 768;
    fixture.load(Array.from({ length: 200 }, () => sampleVector('normal', dim, random)));
    fixture.prepare('dotproduct', sampleVector('normal', dim, random));
    for (const firstSlot of [0, 1, 31, 32, 33, 1000]) {
      for (const share of [0, 0.01, 0.1, 0.5, 1]) {
        const matching = new Set<number>();
        for (let slot = 0; slot < 2000; slot++) if (random.uniform() < share) matching.add(slot);
        fixture.want((slot) => matching.has(slot));
        const expected = [...matching].filter((slot) => slot >= firstSlot && slot < firstSlot + 200);
        const found = fixture.scan(500, { firstSlot }).entries.map(({ slot }) => slot);
        assert.deepEqual(new Set(found), new Set(expected));
        assert.equal(found.length, expected.length);
      }
    }
  });

  test(`${build}: computes the same key whatever rows are scanned beside it`, () => {
    const random = new Random(6);
    fixture.load(Array.from({ length: 100 }, () => sampleVector('normal', 100, random)));
    fixture.prepare('euclidean', sampleVector('normal', 100, random));
    const keys = new Map(fixture.scan(100).entries.map(({ slot, key }) => [slot, key]));
    fixture.want((slot) => slot % 3 === 1);
    for (const { slot, key } of fixture.scan(100).entries) assert.equal(key, keys.get(slot));
  });

  test(`${build}: adds sparse scores to the keys of their slots, rounding included`, () => {
    const random = new Random(8);
    fixture.load(Array.from({ length: 150 }, () => sampleVector('normal', 30, random)));
    fixture.prepare('dotproduct', sampleVector('normal', 30, random));
    const dense = fixture.scores();
    const sparse = Array.from({ length: 150 }, () => random.normal() * 10 ** random.integer(8));
    fixture.f32.set(sparse, fixture.sparseScores >> 2);
    for (const { key, slot } of fixture.scan(150, { sparse: true }).entries) {
      const exact = (dense[slot] ?? 0) + (sparse[slot] ?? 0);
      assert.ok(key >= exact && key - exact < 2 + 1e-6 * Math.abs(exact), `${key} against ${exact}`);
    }
  });

  test(`${build}: finds the exact best by rescoring until no rejected or later key can win`, () => {
    const random = new Random(9);
    const next = hardVectors(random, { dim: 100, latentDim: 30, clusters: 20 });
    // Norms with a long tail, so that the three metrics disagree.
    const rows = Array.from({ length: 3000 }, () => scaled(next(), Math.exp(random.normal())));
    fixture.load(rows);
    for (const metric of METRICS) {
      for (let round = 0; round < 5; round++) {
        fixture.prepare(metric, next().slice());
        const naive = Array.from(fixture.scores(), (exact, slot) => ({ key: asKey(metric, exact), slot }));
        const best = naive.toSorted(byRank).slice(0, 10);
        const { found, rescored } = searchExactly(fixture, metric, 10);
        assert.deepEqual(found, best);
        assert.ok(rescored < 300, `${rescored} rows rescored`);
      }
    }
  });
}

function scaled(vector: Float32Array, factor: number): Float32Array {
  return vector.map((value) => value * factor);
}

/** Branch and bound as a caller does it: doubles the heap until the k-th exact score beats all that was rejected. */
function searchExactly(
  fixture: KernelFixture,
  metric: Metric,
  k: number,
): { readonly found: readonly Entry[]; readonly rescored: number } {
  for (let capacity = k; ; capacity *= 2) {
    const { entries, droppedBound } = fixture.scan(capacity);
    const best: Entry[] = [];
    let rescored = 0;
    for (const { key, slot } of entries) {
      if (best.length === k && (best[k - 1]?.key ?? 0) > key) break;
      best.push({ key: asKey(metric, fixture.scoreOf(slot)), slot });
      best.sort(byRank).splice(k);
      rescored++;
    }
    if (droppedBound === -Infinity || (best[k - 1]?.key ?? 0) > droppedBound)
      return { found: best, rescored };
  }
}

test('computes the same keys in both builds, bit for bit', () => {
  const [plain, relaxed] = BUILDS.map((build) => new KernelFixture(build));
  assert.ok(plain !== undefined && relaxed !== undefined);
  const random = new Random(12);
  for (const dim of [1, 17, 768, 5000, 20_000]) {
    const rows = Array.from({ length: rowsPerFrame(dim) > 3 ? 50 : 5 }, () =>
      sampleVector('normal', dim, random),
    );
    const query = sampleVector('heavy tail', dim, random);
    for (const metric of METRICS) {
      const answers: readonly unknown[] = [plain, relaxed].map((fixture) => {
        fixture.load(rows);
        fixture.prepare(metric, query);
        return { keys: fixture.scan(50).entries, scores: fixture.scores() };
      });
      assert.deepEqual(answers[0], answers[1]);
    }
  }
});
