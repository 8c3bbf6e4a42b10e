// Measures filtered graph searches by plan: recall and speed by the share of matching rows, at random or by cluster.
import type { Metric } from '../../src/domain/index-model.ts';
import { type GraphSearchPlan, planSearch } from '../../src/engine/embedded/ann/search-plan.ts';
import { GraphFixture } from '../../src/engine/embedded/kernels/testing/graph-fixture.ts';
import type { DataSet } from '../support/data-set.ts';
import { machine, percentile } from '../support/figures.ts';
import { DATA_NAMES, graphDataSet } from './data.ts';

const { BENCH_RECORDS, BENCH_DATA } = process.env;

const K = 10;
const RUNS = 3;
const SIZE = { records: Number(BENCH_RECORDS ?? 50_000), queries: 100, dimension: 768 };
const NAMES = DATA_NAMES.filter((name) => (BENCH_DATA ?? 'hard,clustered').split(',').includes(name));
const SHARES = [1, 0.9, 0.5, 0.25, 0.1, 0.01, 0.001];
/** Candidates in a scan's heap. */
const HEAP = 64;

/** Rows by their nearness to a cluster's center; a filter by cluster matches the first of them. */
function byCluster({ base }: DataSet): readonly number[] {
  const centroid = base[7] ?? new Float32Array();
  const nearness = base.map((row) => row.reduce((sum, value, at) => sum + value * (centroid[at] ?? 0), 0));
  return [...base.keys()].sort((a, b) => (nearness[b] ?? 0) - (nearness[a] ?? 0));
}

function byChance({ base }: DataSet): readonly number[] {
  const rank = (slot: number) => Math.imul(slot + 1, 0x9e3779b1) >>> 0;
  return [...base.keys()].sort((a, b) => rank(a) - rank(b));
}

/** Slots of the best by a planned graph search; null when it is abandoned. */
function searchSlots(fixture: GraphFixture, plan: GraphSearchPlan, bitmap: number): readonly number[] | null {
  const found = fixture.searchGraph(plan.search.ef, { ...plan.search, bitmap });
  if (found === null || found.isAbandoned || found.count < plan.foundMin) return null;
  const count = Math.min(found.count, plan.candidates);
  return bestOf(fixture, fixture.bound({ ...found, count }, null));
}

/** Scores entries exactly, best bound first, until the K-th beats the next bound. */
function bestOf(
  fixture: GraphFixture,
  bounds: readonly { readonly key: number; readonly slot: number }[],
): readonly number[] {
  let best: { readonly slot: number; readonly score: number }[] = [];
  for (const { key, slot } of bounds) {
    if (best.length === K && (best[K - 1]?.score ?? 0) > key) break;
    best = [...best, ...fixture.rank([slot])].sort((a, b) => b.score - a.score).slice(0, K);
  }
  return best.map((hit) => hit.slot);
}

function measure(fixture: GraphFixture, { queries }: DataSet, matching: readonly number[]): string {
  const { slots, dim } = fixture.layout;
  const isMatch = new Set(matching);
  fixture.setBits(fixture.layout.matching, (slot) => isMatch.has(slot));
  const { metric } = fixture;
  const plan = planSearch({
    topK: K,
    evenNorms: metric === 'cosine',
    dimension: dim,
    graphSlots: slots,
    matching: matching.length,
  });
  const bitmap = matching.length === slots ? 0 : fixture.layout.matching;
  let scans = 0;
  const answer = (): readonly number[] => {
    const searched = plan.structure === 'graph' ? searchSlots(fixture, plan, bitmap) : null;
    if (searched === null) scans++;
    return searched ?? bestOf(fixture, fixture.scanGraph(HEAP));
  };
  let found = 0;
  for (const query of queries) {
    fixture.prepare(query);
    const truth = new Set(bestOf(fixture, fixture.scanGraph(HEAP * 4)));
    found += answer().filter((slot) => truth.has(slot)).length;
  }
  const seconds = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    for (const query of queries) {
      fixture.prepare(query);
      answer();
    }
    return process.cpuUsage(before).user / 1e6;
  });
  const recall = found / (queries.length * Math.min(K, matching.length));
  const scanned = (scans / (1 + RUNS) / queries.length) * 100;
  return `${recall.toFixed(3)} | ${(queries.length / percentile(seconds, 0.5)).toFixed(0)} | ${scanned.toFixed(0)} %`;
}

console.log(`${machine()}\n${SIZE.records} x ${SIZE.dimension}, k = ${K}, one thread\n`);
console.log('| data | filter | share | recall | QPS (processor time) | scanned |\n|---|---|---|---|---|---|');
for (const name of NAMES) {
  const data = graphDataSet(name, SIZE);
  const metric: Metric = name === 'unnormalized' ? 'dotproduct' : 'cosine';
  const alpha = metric === 'dotproduct' ? 2 : 1.2;
  const fixture = new GraphFixture({ build: 'plain', metric, rows: data.base, alpha, beamCapacity: 8192 });
  fixture.insert();
  for (const [filter, order] of Object.entries({ random: byChance(data), cluster: byCluster(data) })) {
    for (const share of SHARES) {
      const matching = order.slice(0, Math.round(share * SIZE.records));
      console.log(`| ${name} | ${filter} | ${share} | ${measure(fixture, data, matching)} |`);
    }
  }
}
