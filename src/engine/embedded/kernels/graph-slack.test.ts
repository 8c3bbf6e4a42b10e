// Beams that grow by what lies within the slack, against a naive model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { effort, pairs } from '../testing/effort.ts';
import { distancesFrom, entryPointsOf } from './testing/graph-checks.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { graphVectors } from './testing/graph-vectors.ts';
import { naiveBeamSearch } from './testing/naive-beam-search.ts';

const ROWS = 600;

for (const [metric, dim] of pairs(['cosine', 'euclidean'] as const, [4, 32])) {
  test(`${metric}, ${dim} dimensions: keeps and expands what the naive model does`, () => {
    const { rows, queries } = graphVectors('hard', { dim, rows: ROWS, queries: 8 });
    const fixture = new GraphFixture({ build: 'plain', metric, rows, hasClusters: false });
    fixture.insert();
    const entryPoints = entryPointsOf(fixture);
    const distances = queries.map((query) => distancesFrom(fixture, query));
    const search = fc.record({
      query: fc.nat(queries.length - 1),
      ef: fc.integer({ min: 5, max: 60 }),
      stableResults: fc.integer({ min: 1, max: 20 }),
      patience: fc.integer({ min: 1, max: 20 }),
      slack: fc.option(
        fc.record({
          rank: fc.integer({ min: 1, max: 20 }),
          share: fc.double({ min: 0.01, max: 0.3, noNaN: true }),
          ef: fc.integer({ min: 1, max: 200 }),
        }),
      ),
    });
    fc.assert(
      fc.property(search, ({ query, ef, ...termination }) => {
        const expected = naiveBeamSearch({
          ...{ distances: distances[query] ?? [], entryPoints, ef, termination },
          neighborsOf: (slot) => fixture.nodes.neighborsOf(slot),
        });
        fixture.prepare(queries[query] ?? new Float32Array(dim));
        const found = fixture.searchGraph(ef, { termination, ties: ROWS, candidates: ROWS });
        assert.ok(found !== null);
        assert.equal(found.nodes, expected.nodes);
        assert.deepEqual(fixture.slotsOf(found), expected.slots);
      }),
      { seed: 20261123, numRuns: effort({ daily: 150, long: 2_000 }) },
    );
  });
}
