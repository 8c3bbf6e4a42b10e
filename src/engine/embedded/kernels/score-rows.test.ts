// Exact scores: accuracy, and independence from addresses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from './testing/hard-vectors.ts';
import { BUILDS, KernelFixture, METRICS } from './testing/kernel-fixture.ts';
import { norm, score } from './testing/reference.ts';
import { SHAPE_NAMES, sampleVector } from './testing/sample-vectors.ts';

const DIMS = [1, 2, 3, 4, 5, 15, 16, 17, 40, 255, 256, 257, 768, 1537, 20_000];

for (const build of BUILDS) {
  const fixture = new KernelFixture(build);

  test(`${build}: scores within 2e-6 of the reference, whatever the magnitudes`, () => {
    const random = new Random(21);
    for (const dim of DIMS) {
      const rows = SHAPE_NAMES.map((shape) => sampleVector(shape, dim, random));
      for (const shape of ['normal', 'large norm', 'beyond the codes, large', 'smallest accepted'] as const) {
        const query = sampleVector(shape, dim, random);
        fixture.load(rows);
        for (const metric of METRICS) {
          fixture.prepare(metric, query);
          for (const [slot, actual] of fixture.scores().entries()) {
            const row = rows[slot] ?? query;
            const expected = score(metric, query, row);
            const units = { cosine: 1, dotproduct: norm(query) * norm(row), euclidean: expected };
            assert.ok(
              Math.abs(actual - expected) <= 2e-6 * units[metric] + 1e-38,
              `${metric} ${dim} ${slot}`,
            );
          }
        }
      }
    }
  });

  test(`${build}: gives equal bits for equal inputs at any address, one at a time or many`, () => {
    const random = new Random(22);
    for (const dim of DIMS) {
      const row = sampleVector('normal', dim, random);
      fixture.load([row, row, row]);
      for (const metric of METRICS) {
        fixture.prepare(metric, sampleVector('normal', dim, random));
        const [first = 0, ...others] = fixture.scores();
        for (const other of others) assert.equal(other, first);
        for (let shift = 0; shift < 64; shift += 4) {
          const address = fixture.rows + 4 * dim * 4 + shift;
          fixture.f32.set(row, address >> 2);
          assert.equal(fixture.kernel.scoreRow(fixture.scratch.query, address), first);
        }
      }
    }
  });

  test(`${build}: divides the product by both norms for the cosine, to the last bit`, () => {
    const random = new Random(24);
    for (const dim of DIMS) {
      const [query, row] = [sampleVector('normal', dim, random), sampleVector('normal', dim, random)];
      fixture.load([row, query]);
      const scoresAgainst = (metric: (typeof METRICS)[number], values: Float32Array) => {
        fixture.prepare(metric, values);
        return [fixture.scoreOf(0), fixture.scoreOf(1)] as const;
      };
      const [product, querySquared] = scoresAgainst('dotproduct', query);
      const [rowSquared] = scoresAgainst('dotproduct', row);
      const [cosine] = scoresAgainst('cosine', query);
      assert.equal(cosine, Math.max(-1, Math.min(1, product / Math.sqrt(querySquared * rowSquared))));
    }
  });

  test(`${build}: scores a row against itself exactly 1 by cosine and 0 by distance`, () => {
    const random = new Random(23);
    for (const dim of DIMS) {
      const row = sampleVector('normal', dim, random);
      fixture.load([row]);
      fixture.prepare('cosine', row);
      assert.equal(fixture.scoreOf(0), 1);
      fixture.prepare('euclidean', row);
      assert.equal(fixture.scoreOf(0), 0);
    }
  });
}
