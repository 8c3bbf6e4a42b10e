// Rows at equal distances: distinct ones, of few round components, are found; copies leave room for what lies behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planSearch } from '../ann/search-plan.ts';
import { effort, pairs } from '../testing/effort.ts';
import { type DataSet, hard, multiHot, signs } from '../testing/soak/data-sets.ts';
import { distancesFrom, entryPointsOf } from './testing/graph-checks.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { graphVectors } from './testing/graph-vectors.ts';
import { Random } from './testing/hard-vectors.ts';
import { naiveBeamSearch } from './testing/naive-beam-search.ts';

const DIMENSION = 64;
const ROWS = effort({ daily: 4_000, long: 20_000 });
const QUERIES = 60;
/** Slots of the graph that searches are planned for: bounds of early termination are those of large ones. */
const PLANNED_SLOTS = 1_000_000;
const ROUNDING = 1e-5;
const NO_ROW = new Float32Array(8);
const NOTHING = { entries: 0, count: 0, nodes: 0, distances: 0, isAbandoned: false };

interface Scene {
  readonly fixture: GraphFixture;
  readonly queries: readonly Float32Array[];
}

function sceneOf(dataSet: DataSet, metric: 'cosine' | 'euclidean', rowCount = ROWS): Scene {
  const next = dataSet.make(new Random(4_711), rowCount);
  const rows = Array.from({ length: rowCount }, next);
  const fixture = new GraphFixture({
    build: 'plain',
    metric,
    rows,
    efConstruction: 128,
    beamCapacity: 8_192,
  });
  fixture.insert();
  return { fixture, queries: Array.from({ length: QUERIES }, next) };
}

/** The share of the true best that are found by plan with a factor on the usual effort. */
function recallOf({ fixture, queries }: Scene, topK: number, factor: number): number {
  const size = { graphSlots: PLANNED_SLOTS, matching: PLANNED_SLOTS };
  const plan = planSearch({ topK, dimension: DIMENSION, evenNorms: true, effort: factor, ...size });
  assert.ok(plan.structure === 'graph');
  const { search, candidates } = plan;
  const all = Array.from({ length: fixture.layout.slots }, (_, slot) => slot);
  const shares = queries.map((query) => {
    fixture.prepare(query);
    const last = fixture.rank(all)[topK - 1]?.score ?? 0;
    const found = fixture.searchGraph(search.ef, { ...search, candidates });
    assert.ok(found !== null);
    const best = fixture.rank(fixture.slotsOf(found)).slice(0, topK);
    return best.filter(({ score }) => score >= last - ROUNDING * Math.max(1, Math.abs(last))).length / topK;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

for (const [dataSet, metric] of pairs([multiHot(DIMENSION), signs(DIMENSION)], [
  'cosine',
  'euclidean',
] as const)) {
  test(`${dataSet.name}, ${metric}: finds 98 % of the best, and all but a few in a thousand with more effort`, () => {
    const scene = sceneOf(dataSet, metric);
    for (const topK of [1, 2, 10]) {
      const recall = recallOf(scene, topK, 1);
      assert.ok(recall >= 0.98, `topK ${topK}: ${recall}`);
      const more = recallOf(scene, topK, 4);
      assert.ok(more >= 0.996, `topK ${topK} with four times the effort: ${more}`);
    }
  });
}

test('measures few of ten thousand copies, and finds what is nearer than they', () => {
  const next = hard(DIMENSION).make(new Random(99), 1);
  const copied = next();
  const others = Array.from({ length: 1_000 }, next);
  const rows = [...Array.from({ length: 10_000 }, () => copied), ...others];
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows, beamCapacity: 2_048 });
  fixture.insert();
  const plan = planSearch({ topK: 1, dimension: DIMENSION, evenNorms: true, graphSlots: 1e6, matching: 1e6 });
  assert.ok(plan.structure === 'graph');
  const all = [...rows.keys()];
  for (const other of others.slice(0, 50)) {
    // As near to the copies as to others.
    fixture.prepare(copied.map((value, i) => 0.45 * value + 0.55 * (other[i] ?? 0)));
    const [best] = fixture.rank(all);
    const found = fixture.searchGraph(plan.search.ef, { ...plan.search, candidates: plan.candidates });
    assert.ok(found !== null);
    assert.equal(fixture.rank(fixture.slotsOf(found))[0]?.score, best?.score);
    assert.ok(fixture.lastDistances < 2_500, `${fixture.lastDistances}`);
  }
});

test('leaves out no distinct row, however many lie at one distance', () => {
  const next = multiHot(16).make(new Random(31), 0);
  const byText = new Map(Array.from({ length: 3_000 }, () => next()).map((row) => [row.join(), row]));
  const rows = [...byText.values()];
  const fixture = new GraphFixture({ build: 'plain', metric: 'euclidean', rows });
  fixture.insert();
  for (let query = 0; query < 20; query++) {
    fixture.prepare(next());
    const slotsBy = (ties: number) => fixture.slotsOf(fixture.searchGraph(60, { ties }) ?? NOTHING);
    assert.deepEqual(slotsBy(1), slotsBy(rows.length));
  }
});

test('keeps as many copies of a row as the naive model does', () => {
  const { rows: distinct, queries } = graphVectors('hard', { dim: 8, rows: 60, queries: 8 });
  const random = new Random(5);
  const rows = Array.from({ length: 600 }, () => distinct[random.integer(distinct.length)] ?? NO_ROW);
  const fixture = new GraphFixture({ build: 'plain', metric: 'euclidean', rows, hasClusters: false });
  fixture.insert();
  const entryPoints = entryPointsOf(fixture);
  const distances = queries.map((query) => distancesFrom(fixture, query));
  const searches = fc.record({
    query: fc.nat(queries.length - 1),
    ef: fc.integer({ min: 1, max: 80 }),
    ties: fc.integer({ min: 1, max: 12 }),
    stableResults: fc.integer({ min: 1, max: 20 }),
    patience: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(searches, ({ query, ef, ties, ...bounds }) => {
      const termination = { ...bounds, slack: null };
      const expected = naiveBeamSearch({
        ...{ distances: distances[query] ?? [], entryPoints, ef, ties, termination },
        neighborsOf: (slot) => fixture.nodes.neighborsOf(slot),
      });
      fixture.prepare(queries[query] ?? NO_ROW);
      const found = fixture.searchGraph(ef, { termination, ties, candidates: rows.length });
      assert.equal(found?.nodes, expected.nodes);
      assert.deepEqual(fixture.slotsOf(found ?? NOTHING), expected.slots);
    }),
    { seed: 20261130, numRuns: effort({ daily: 150, long: 2_000 }) },
  );
});
