// Binary codes of nodes: the signs of their rows relative to a center, by which searches estimate distances.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metric } from '../../../domain/index-model.ts';
import { codeStride, QUERY_PLANES } from './layout.ts';
import { recallAt10 } from './testing/graph-checks.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import type { NodeCode } from './testing/graph-nodes.ts';
import { graphVectors } from './testing/graph-vectors.ts';

const DEVIATIONS = 2;
/** Neither whole bytes of bits nor whole vectors of codes. */
const DIM = 139;
const ROWS = 1_300;
const METRICS = ['cosine', 'euclidean', 'dotproduct'] as const;

for (const build of ['plain', 'relaxed'] as const)
  for (const metric of METRICS) {
    const { rows, queries } = graphVectors('unnormalized', { dim: DIM, rows: ROWS, queries: 20 });
    const fixture = new GraphFixture({ build, metric, rows, hasNodeCodes: true });
    fixture.insert();

    test(`${build}, ${metric}: encodes each node by its signs relative to the mean of evenly spaced rows`, () => {
      const center = fixture.nodes.center();
      // The maximum loss of a code: half a step, of the row and of the center.
      const lost = Math.max(...center.map(Math.abs)) / 127;
      for (const [slot, row] of rows.entries()) {
        const { isNegative, normSquared, factor } = fixture.nodes.codeOf(slot);
        const unit = inSpace(row, metric);
        const seen = unit.map((value, at) => value - (center[at] ?? 0));
        const uncertain = lost + Math.max(...unit.map(Math.abs)) / 127;
        for (const [at, value] of seen.entries())
          if (Math.abs(value) > uncertain) assert.equal(isNegative[at], value < 0, `${slot}, ${at}`);
        const norm = Math.hypot(...seen);
        assert.ok(Math.abs(Math.sqrt(normSquared) - norm) <= uncertain * Math.sqrt(DIM));
        const magnitude = seen.reduce((sum, value) => sum + Math.abs(value), 0);
        assert.ok(Math.abs(factor - norm ** 2 / magnitude) <= 4 * uncertain, `${factor}`);
      }
    });

    test(`${build}, ${metric}: gives results the most that estimates allow as the model does, and the keys of their rows when asked`, () => {
      const center = fixture.nodes.center();
      for (const query of queries) {
        fixture.prepare(query);
        const found = fixture.searchGraph(40);
        assert.ok(found !== null && found.count === 40);
        for (const { key, slot } of fixture.keysOf(found)) {
          const model = mostBy(inSpace(query, metric), fixture.nodes.codeOf(slot), { center, metric });
          assert.ok(Math.abs(key - model) <= 1e-3 * (1 + Math.abs(model)), `${key}, ${model}`);
        }
        fixture.refine(found);
        const refined = fixture.keysOf(found);
        const keys = refined.map(({ key }) => key);
        assert.deepEqual(
          keys,
          keys.toSorted((a, b) => b - a),
        );
        for (const { slot, key } of refined) {
          const [exact] = fixture.rank([slot]);
          const score = exact?.score ?? Number.NaN;
          assert.ok(Math.abs(key - score) <= 0.02 * (1 + Math.abs(score)), `${key}, ${score}`);
        }
      }
    });
  }

test('centers rows that lie far from 0, so that half of their signs are negative', () => {
  const { rows } = graphVectors('hard', { dim: DIM, rows: 300, queries: 1 });
  const far = rows.map((row) => row.map((value) => value + 1));
  const fixture = new GraphFixture({ build: 'relaxed', metric: 'euclidean', rows: far, hasNodeCodes: true });
  fixture.insert();
  const signs = far.flatMap((_, slot) => fixture.nodes.codeOf(slot).isNegative);
  const share = signs.filter((sign) => sign).length / signs.length;
  assert.ok(share > 0.4 && share < 0.6, `${share}`);
});

for (const [data, metric] of [
  ['hard', 'cosine'],
  ['clustered', 'euclidean'],
  ['unnormalized', 'dotproduct'],
] as const)
  test(`${data}, ${metric}: finds by estimates and rows what searches of rows alone find`, () => {
    const { rows, queries } = graphVectors(data, { dim: 256, rows: 2_000, queries: 40 });
    const [byRows = 0, byCodes = 0] = [false, true].map((hasNodeCodes) => {
      const fixture = new GraphFixture({ build: 'relaxed', metric, rows, hasNodeCodes, alpha: 1.5 });
      fixture.insert();
      return recallAt10(fixture, queries, { ef: 160 });
    });
    assert.ok(byCodes >= byRows - 0.02, `${byCodes} and ${byRows}`);
  });

/** The row as distances by this metric see it. */
function inSpace(row: Float32Array, metric: Metric): Float32Array {
  const length = metric === 'cosine' ? Math.hypot(...row) || 1 : 1;
  return row.map((value) => value / length);
}

/** The key by a code: minus the distance, from signs and the query in QUERY_PLANES bits a component, and its error. */
function mostBy(
  query: Float32Array,
  { factor, normSquared, isNegative }: NodeCode,
  { center, metric }: { readonly center: Float32Array; readonly metric: Metric },
): number {
  const seen =
    metric === 'dotproduct' ? [...query] : [...query].map((value, at) => value - (center[at] ?? 0));
  // What is beyond the dimension is 0 in the kernel.
  const least = Math.min(0, ...seen);
  const step = (Math.max(0, ...seen) - least) / (2 ** QUERY_PLANES - 1);
  const sum = seen.reduce((all, value) => all + value, 0);
  const negative = seen
    .filter((_, at) => isNegative[at])
    .reduce((all, value) => all + least + step * Math.round((value - least) / step), 0);
  const product = factor * (sum - 2 * negative);
  const squares = seen.reduce((all, value) => all + value * value, 0);
  const missed = Math.sqrt(Math.max(0, factor ** 2 - normSquared / codeStride(seen.length)));
  const most = product + DEVIATIONS * Math.sqrt(squares) * missed;
  if (metric === 'euclidean') return 2 * most - normSquared - squares;
  if (metric === 'cosine') return most - normSquared / 2 - squares / 2 + 1;
  return most + seen.reduce((all, value, at) => all + value * (center[at] ?? 0), 0);
}
