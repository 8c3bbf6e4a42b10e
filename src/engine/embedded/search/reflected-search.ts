// A second, short search on the other side of the query: a query between two groups of rows has results in both, and a
// search that ends in one group does not see the other (docs/decisions/067-reflected-search.md).
import type { Metric } from '../../../domain/index-model.ts';
import { type GraphSearchPlan, withEffort } from '../ann/search-plan.ts';
import { REFLECTION } from '../ann/search-tuning.ts';
import type { GraphResults } from '../kernels/graph-interface.ts';
import type { GraphPart } from '../segments/segment-reader.ts';
import { entriesAt } from './heap-entries.ts';
import type { Selection } from './selection.ts';

export interface ReflectedSearch {
  readonly graph: GraphPart;
  readonly plan: GraphSearchPlan;
  readonly dimension: number;
  readonly metric: Metric;
  /** Of the search for the query itself; at least one. */
  readonly results: GraphResults;
  readonly searchOnce: (plan: GraphSearchPlan) => GraphResults | null;
}

/** Does a query lie so far from its best result, for the rows around that, that there may be others across from it? */
export function mayHaveOtherSide(metric: Metric, outOfDistributionRatio: number): boolean {
  return metric !== 'dotproduct' && outOfDistributionRatio >= REFLECTION.RATIO_MIN;
}

/** The results with those that a search around the reflection of the best one finds, best first. */
export function withOtherSide(selection: Selection, search: ReflectedSearch): GraphResults {
  const { workspace, layout } = selection;
  const { results, dimension, metric, plan, graph } = search;
  const { rowScorer, graphScratch } = layout;
  if (rowScorer === null || graphScratch === null) return results;
  const { query, source } = rowScorer;
  const { kernel, arena } = workspace;
  const { slots } = entriesAt(workspace, results.entries, results.count);
  const first = slots.slice();
  const sourceView = new Float32Array(arena.bufferOf(source + 4 * dimension), source, dimension);
  // As codes are compared with it.
  const values = sourceView.slice();
  const pose = () => kernel.prepareQuery(source, query, { dim: dimension, metric });
  kernel.graph.reflectRow({ graph: graph.address, query, slot: first[1] ?? 0, reflection: source });
  pose();
  const other = search.searchOnce(shortPlan(plan));
  const known = new Set(first.filter((_, at) => at % 2 === 1));
  const met = other === null ? [] : slotsOf(selection, other).filter((slot) => !known.has(slot));
  sourceView.set(values);
  pose();
  slots.set(first);
  return { ...results, count: mergeResults(selection, { ...search, met }) };
}

/** Without slack: the reflection lies among rows, if there is anything. */
function shortPlan(plan: GraphSearchPlan): GraphSearchPlan {
  const candidates = Math.min(plan.foundMin + REFLECTION.CANDIDATES_MORE, REFLECTION.CANDIDATES_MAX);
  const { search, ...shorter } = withEffort(plan, REFLECTION.EFFORT);
  const termination = search.termination && { ...search.termination, slack: null };
  return { ...shorter, candidates, search: { ...search, termination, probes: REFLECTION.PROBES } };
}

function slotsOf({ workspace }: Selection, { entries, count }: GraphResults): readonly number[] {
  const { slots } = entriesAt(workspace, entries, count);
  return Array.from({ length: count }, (_, at) => slots[2 * at + 1] ?? 0);
}

/** Puts what was met among the results, best first. @returns their count */
function mergeResults(
  { workspace, layout }: Selection,
  { graph, results, plan, met }: ReflectedSearch & { readonly met: readonly number[] },
): number {
  const all = results.count + met.length;
  if (met.length === 0 || all > plan.beamCapacity) return results.count;
  const { keys, slots } = entriesAt(workspace, results.entries, all);
  for (const [at, slot] of met.entries()) slots[2 * (results.count + at) + 1] = slot;
  workspace.kernel.graph.keyResults({
    graph: graph.address,
    query: layout.rowScorer?.query ?? 0,
    results: { entries: results.entries + 8 * results.count, count: met.length },
    scratch: { address: layout.graphScratch ?? 0, beamCapacity: 0 },
  });
  const pairs = Array.from({ length: all }, (_, at) => ({
    key: keys[2 * at] ?? 0,
    slot: slots[2 * at + 1] ?? 0,
  })).sort((a, b) => b.key - a.key);
  for (const [at, { key, slot }] of pairs.entries()) {
    keys[2 * at] = key;
    slots[2 * at + 1] = slot;
  }
  return all;
}
