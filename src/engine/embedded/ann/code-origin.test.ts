// Guarantees of the origin of codes: rows far from zero get one, and usual rows none.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { GAIN_MIN_ANEW, ORIGIN_ROWS_MAX, ORIGIN_ROWS_MIN, originOf } from './code-origin.ts';

const DIMENSION = 48;
const random = new Random(5);

function rowsOf(component: (at: number) => number, count = ORIGIN_ROWS_MAX): Float32Array[] {
  return Array.from({ length: count }, () =>
    Float32Array.from({ length: DIMENSION }, (_, at) => component(at)),
  );
}

/** How far from `wanted` the farthest component of the rows' origin is; Infinity without one. */
function missOf(rows: readonly Float32Array[], wanted: number): number {
  const components = originOf(rows) ?? [Number.POSITIVE_INFINITY];
  return Math.max(...Array.from(components, (component) => Math.abs(component - wanted)));
}

describe('originOf', () => {
  const usual: Record<string, Float32Array[]> = {
    'around zero': rowsOf(() => random.normal()),
    'two deviations from zero': rowsOf(() => 2 + random.normal()),
    'uniform between 0 and 1': rowsOf(() => random.uniform()),
    'without negative components': rowsOf(() => Math.max(0, random.normal())),
    'mostly zero': rowsOf(() => (random.uniform() < 0.1 ? random.uniform() : 0)),
    'of zeros': rowsOf(() => 0),
    'around zero with one far off': [...rowsOf(() => random.normal(), 99), ...rowsOf(() => 1e30, 1)],
    'in two groups on either side': [...rowsOf(() => 50 + random.normal()), ...rowsOf(() => -50)],
    'larger than codes describe': rowsOf(() => 1e36 + 1e35 * random.normal()),
    'that are no numbers': rowsOf(() => Number.NaN),
  };
  for (const [kind, rows] of Object.entries(usual))
    it(`finds none for rows ${kind}`, () => assert.equal(originOf(rows), null));

  for (const offset of [5, 30, 1e3, 1e6, 1e15, 1e20])
    it(`finds the middle of rows that lie ${offset} from zero, whatever a few others do`, () => {
      const spread = Math.max(1, offset / 1e6);
      const rows = rowsOf(() => offset + spread * random.normal());
      assert.ok(missOf(rows, offset) < spread / 2);
      const strays = [...rows, ...rowsOf(() => -3 * offset, 3), ...rowsOf(() => 3e38, 1)];
      assert.ok(missOf(strays, offset) < spread / 2);
    });

  it('finds the middle of nine tenths of the rows where the others lie elsewhere', () => {
    const rows = [...rowsOf(() => 100 + random.normal(), 90), ...rowsOf(() => random.normal(), 10)];
    assert.ok(missOf(rows, 100) < 0.5);
  });

  it('leaves tiny differences alone that codes cannot describe', () => {
    assert.equal(originOf(rowsOf(() => 1e-10 + 1e-15 * random.normal())), null);
  });

  it('concludes nothing from few rows', () => {
    assert.equal(originOf(rowsOf(() => 1_000 + random.normal(), ORIGIN_ROWS_MIN - 1)), null);
    assert.notEqual(originOf(rowsOf(() => 1_000 + random.normal(), ORIGIN_ROWS_MIN)), null);
  });

  it('does not move again for little', () => {
    const rows = rowsOf(() => 3 + random.normal());
    assert.notEqual(originOf(rows), null);
    assert.equal(originOf(rows, { gainMin: GAIN_MIN_ANEW }), null);
  });
});
