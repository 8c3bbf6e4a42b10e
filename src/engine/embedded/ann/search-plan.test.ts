// Search plans: what is scanned, what the graph searches, and that searches by plan reach their recall.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Metric } from '../../../domain/index-model.ts';
import { GraphFixture } from '../kernels/testing/graph-fixture.ts';
import { GRAPH_DATA, graphVectors } from '../kernels/testing/graph-vectors.ts';
import { hardVectors, Random } from '../kernels/testing/hard-vectors.ts';
import { effort, pairs } from '../testing/effort.ts';
import { type PlanInput, planSearch, retryEffort, withEffort } from './search-plan.ts';
import { BEAM_CAPACITY_MAX } from './search-tuning.ts';

const METRICS: readonly Metric[] = ['cosine', 'dotproduct', 'euclidean'];
const LARGE: PlanInput = {
  topK: 10,
  evenNorms: true,
  dimension: 768,
  graphSlots: 200_000,
  matching: 200_000,
};

test('scans few matches and searches the graph for many, and never scans again for more matches', () => {
  const input = fc.record({
    topK: fc.integer({ min: 1, max: 10_000 }),
    dimension: fc.integer({ min: 1, max: 20_000 }),
    graphSlots: fc.integer({ min: 1, max: 10_000_000 }),
    evenNorms: fc.boolean(),
  });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(input, share, share, (graph, a, b) => {
      const [few, many] = [Math.min(a, b), Math.max(a, b)].map((part) =>
        planSearch({ ...graph, matching: Math.round(part * graph.graphSlots) }),
      );
      // A preliminary search may be worth it where a full search, with more matches, is not.
      const isTried = few?.structure === 'graph' && few.search.filtered?.preliminary;
      if (few?.structure === 'graph' && (!isTried || graph.topK <= 10))
        assert.equal(many?.structure, 'graph');
    }),
    { seed: 20260703, numRuns: 2000 },
  );
  assert.equal(planSearch({ ...LARGE, matching: 0 }).structure, 'scan');
  assert.equal(planSearch({ ...LARGE, matching: 2000 }).structure, 'scan');
  assert.equal(planSearch(LARGE).structure, 'graph');
});

test('plans a beam for the stable results, a sample of nearby nodes, and exact scores of what is found', () => {
  for (const topK of [1, 10, 100, 1000, 10_000]) {
    for (const evenNorms of [true, false]) {
      for (const matching of [10_000_000, 9_999_999, 2_000_000, 500_000, 100_000]) {
        const plan = planSearch({ ...LARGE, graphSlots: 10_000_000, topK, evenNorms, matching });
        if (plan.structure === 'scan') continue;
        const { ef, ties, termination, filtered } = plan.search;
        assert.ok(termination !== null && termination.stableResults > topK && termination.patience > 0);
        assert.ok(
          ef >= termination.stableResults &&
            plan.beamCapacity >= ef &&
            plan.beamCapacity <= BEAM_CAPACITY_MAX,
        );
        assert.ok(ties >= topK && plan.candidates >= topK && plan.rescoreMin > topK);
        assert.equal(filtered === null, matching === 10_000_000);
        if (filtered === null) continue;
        assert.ok(
          filtered.abandonBelow <= filtered.passThroughMin && filtered.passThroughMin <= filtered.localNodes,
        );
      }
    }
  }
});

test('takes more effort in larger graphs, and less in small ones only for unfiltered searches of 10 or more', () => {
  const boundsOf = (input: Partial<PlanInput>) => {
    const plan = planSearch({ ...LARGE, ...input });
    assert.ok(plan.structure === 'graph' && plan.search.termination !== null);
    return plan.search.termination;
  };
  const graph = fc.record({
    graphSlots: fc.integer({ min: 20_000, max: 10_000_000 }),
    topK: fc.integer({ min: 1, max: 100 }),
    isFiltered: fc.boolean(),
  });
  fc.assert(
    fc.property(graph, fc.double({ min: 1, max: 4, noNaN: true }), (given, growth) => {
      const at = (graphSlots: number) => {
        const matching = given.isFiltered ? Math.floor(graphSlots * 0.95) : graphSlots;
        return boundsOf({ topK: given.topK, graphSlots, matching });
      };
      const before = at(given.graphSlots);
      const after = at(Math.floor(given.graphSlots * growth));
      // Rounding of the matching slots changes the selectivity a little.
      assert.ok(after.patience >= before.patience - 1 && after.stableResults >= before.stableResults - 1);
      if (!given.isFiltered && given.topK >= 10) return;
      assert.ok(
        before.patience >= boundsOf({ topK: given.topK, graphSlots: 100_000, matching: 100_000 }).patience,
      );
    }),
    { seed: 20261123, numRuns: 2000 },
  );
  const small = boundsOf({ graphSlots: 10_000, matching: 10_000, dimension: 2_000 });
  const large = boundsOf({ graphSlots: 1_000_000, matching: 1_000_000 });
  assert.deepEqual([small.patience, large.patience], [30, 89]);
});

test('repeats a search for an out-of-distribution query with more effort, or scans where that costs less', () => {
  const plan = planSearch(LARGE);
  assert.ok(plan.structure === 'graph');
  for (const selectivity of [0, 1, 3, Number.NaN]) assert.equal(retryEffort(selectivity, plan), 1);
  const efforts = [4, 6, 9, 20, 1e9].map((outOfDistributionRatio) =>
    retryEffort(outOfDistributionRatio, plan),
  );
  assert.deepEqual(
    efforts,
    efforts.toSorted((a, b) => a - b),
  );
  assert.ok((efforts[0] ?? 0) > 1.5 && efforts.at(-1) === 6);
  for (const effort of efforts) {
    const { beamCapacity, search } = withEffort(plan, effort);
    assert.ok(beamCapacity >= search.ef && search.ef > plan.search.ef && beamCapacity <= BEAM_CAPACITY_MAX);
    assert.ok((search.termination?.stableResults ?? 0) > (plan.search.termination?.stableResults ?? 0));
  }
  const small = planSearch({ ...LARGE, graphSlots: 8_000, matching: 8_000 });
  assert.ok(small.structure === 'graph');
  assert.equal(retryEffort(20, small), Number.POSITIVE_INFINITY);
});

for (const [data, metric] of pairs(GRAPH_DATA, METRICS)) {
  test(`${data}, ${metric}: finds 98 % of the 10 nearest by plan, filtered at random or by cluster`, () => {
    const size = { dim: 64, rows: 6000, queries: effort({ daily: 15, long: 40 }) };
    const { rows, queries } = graphVectors(data, size);
    const alpha = metric === 'dotproduct' ? 2 : 1.2;
    const fixture = new GraphFixture({ build: 'plain', metric, rows, alpha, beamCapacity: 8192 });
    fixture.insert();
    const pivot = rows[5] ?? new Float32Array(64);
    fixture.prepare(pivot);
    const byPivot = new Map(fixture.rank([...rows.keys()]).map(({ slot }, rank) => [slot, rank]));
    const filters: readonly ((slot: number) => boolean)[] = [
      () => true,
      (slot) => (slot * 7919) % 100 < 60,
      (slot) => (slot * 7919) % 100 < 25,
      (slot) => (byPivot.get(slot) ?? 0) < 3000,
      (slot) => (byPivot.get(slot) ?? 0) > 4500,
    ];
    for (const [at, isMatch] of filters.entries()) {
      fixture.setBits(fixture.layout.matching, isMatch);
      const matching = [...rows.keys()].filter(isMatch);
      // As if the graph were large: at this size all filtered searches would be scans.
      const plan = planSearch({
        topK: 10,
        evenNorms: metric === 'cosine',
        dimension: 64,
        graphSlots: rows.length * 100,
        matching: matching.length * 100,
      });
      assert.ok(plan.structure === 'graph');
      const bitmap = at === 0 ? 0 : fixture.layout.matching;
      let found = 0;
      for (const query of queries) {
        fixture.prepare(query);
        const results = fixture.searchGraph(plan.search.ef, { ...plan.search, bitmap });
        assert.ok(results !== null);
        const truth = fixture.rank(matching).slice(0, 10);
        // An abandoned search is followed by a scan, which is exact.
        if (results.isAbandoned || results.count < plan.foundMin) {
          found += 10;
          continue;
        }
        const slots = fixture.slotsOf(results).slice(0, plan.candidates);
        const hits = fixture.rank(slots).slice(0, 10);
        found += hits.filter(({ score }) => score >= (truth[9]?.score ?? 0)).length;
      }
      const recall = found / (10 * queries.length);
      assert.ok(recall >= 0.98, `filter ${at}: ${recall}`);
    }
  });
}

/**
 * Matching rows of which few lie together. Where a tenth of 100,000 such rows of 768 dimensions match, searches with
 * two thirds of the planned effort find 0.977. In a small graph, part of the effort does as well as all of it in a
 * large one.
 */
const SCATTERED = effort({
  daily: { rows: 6_000, part: 0.25, queries: 200 },
  long: { rows: 30_000, part: 0.5, queries: 400 },
});

test('finds 98 % of the 10 nearest among a random tenth of the rows with less effort than planned', () => {
  const dimension = 128;
  const shape = { dim: dimension, latentDim: dimension, clusters: SCATTERED.rows / 100 };
  const next = hardVectors(new Random(77), shape);
  const rows = Array.from({ length: SCATTERED.rows }, () => next().slice());
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows, beamCapacity: 8192 });
  fixture.insert();
  const isMatch = (slot: number) => (slot * 7919) % 10 === 0;
  const matching = [...rows.keys()].filter(isMatch);
  fixture.setBits(fixture.layout.matching, isMatch);
  const plan = planSearch({ ...LARGE, dimension, effort: SCATTERED.part, matching: LARGE.graphSlots / 10 });
  assert.ok(plan.structure === 'graph');
  let found = 0;
  for (let i = 0; i < SCATTERED.queries; i++) {
    fixture.prepare(next());
    const results = fixture.searchGraph(plan.search.ef, { ...plan.search, bitmap: fixture.layout.matching });
    assert.ok(results !== null);
    const last = fixture.rank(matching)[9]?.score ?? 0;
    const hits = fixture.rank(fixture.slotsOf(results).slice(0, plan.candidates)).slice(0, 10);
    found += hits.filter(({ score }) => score >= last).length;
  }
  const recall = found / (10 * SCATTERED.queries);
  assert.ok(recall >= 0.98, `recall ${recall}`);
});

test('plans less of everything the less effort is asked for, and never less than a filtered search needs', () => {
  const unfiltered = [0.04, 0.07, 0.1, 0.2, 0.3, 0.5, 1].map((each) =>
    planSearch({ ...LARGE, effort: each }),
  );
  const bounds = unfiltered.map((plan) => {
    assert.ok(plan.structure === 'graph' && plan.search.termination !== null);
    const { termination, ef, probes = 0 } = plan.search;
    assert.ok(ef > LARGE.topK && plan.candidates >= LARGE.topK);
    return [probes, ef, termination.stableResults, termination.patience, termination.slack?.share ?? 0];
  });
  for (const [at, more] of bounds.slice(1).entries())
    assert.ok(more.every((bound, i) => bound >= (bounds[at]?.[i] ?? 0)));
  const stable = bounds.map(([, , stableResults = 0]) => stableResults);
  assert.deepEqual([(stable[0] ?? 0) < LARGE.topK, (stable[2] ?? 0) >= LARGE.topK], [true, true]);
  const usual = bounds.map(([probes]) => probes === bounds.at(-1)?.[0]);
  assert.deepEqual(usual, [false, false, false, false, true, true, true]);
  const filtered = (each: number) => planSearch({ ...LARGE, matching: 100_000, effort: each });
  assert.deepEqual(filtered(0.04), filtered(0.3));
});
