// Search by dense vectors in shared memory: beam search of the proximity graph where there is one, a scan of the codes
// of all other slots for upper bounds of their scores, and exact scores of the best until no other can be among the
// results.
import type { Metric } from '../../../domain/index-model.ts';
import type { QueryExplain } from '../../../domain/query-explain.ts';
import { CodeSpace } from '../ann/code-space.ts';
import { effortForRecall, recallForEffort } from '../ann/recall-targets.ts';
import {
  type GraphSearchPlan,
  planSearch,
  retryEffort,
  type SearchPlan,
  traversalOf,
  withEffort,
} from '../ann/search-plan.ts';
import { NODE_CODES, OUT_OF_DISTRIBUTION } from '../ann/search-tuning.ts';
import { clearBit } from '../filters/bitmap.ts';
import type { GraphResults } from '../kernels/graph-interface.ts';
import type { GraphPart } from '../segments/segment-reader.ts';
import type { CheckedRows } from '../storage/checked-rows.ts';
import { CodePrefetch } from './code-prefetch.ts';
import { scanExactly } from './exact-scan.ts';
import { entriesAt } from './heap-entries.ts';
import { NormSpreads } from './norm-spread.ts';
import { findMissed } from './recall-audit.ts';
import { lesserEffort, RecallMonitor, type RecallRecord } from './recall-monitor.ts';
import { refineResults } from './refined-results.ts';
import { mayHaveOtherSide, withOtherSide } from './reflected-search.ts';
import { type Rescoring, rescore, rescoreUnencodable } from './rescoring.ts';
import { RowScorer } from './row-scorer.ts';
import type { SearchRequest } from './search-request.ts';
import { type Selection, topIn } from './selection.ts';
import { openPostingLists } from './sparse-search.ts';
import type { TopK } from './top-k.ts';

/** The factor by which each further search of a graph is wider: it keeps so many times as many candidates. */
const WIDEN_BY = 8;

/** A query that may search a segment's graph. */
interface GraphSearch {
  readonly graph: GraphPart;
  readonly request: SearchRequest;
  readonly record: RecallRecord;
}

interface GraphAttempt extends Omit<GraphSearch, 'record'> {
  /** Factor on ef and on early termination. */
  readonly effort: number;
  /** The key below which no slot is among the best: other segments have as many that are better. */
  readonly least: number;
  /** Factor on the candidates, 1 where codes tell so many apart. */
  readonly width: number;
}

interface Found {
  /** Address of the results, nearest first. */
  readonly entries: number;
  readonly count: number;
  /** True when there may be more, which are farther away by codes. */
  readonly isCut: boolean;
  readonly plan: GraphSearchPlan;
}

interface OneSide extends Omit<GraphAttempt, 'effort' | 'least' | 'width'> {
  readonly plan: GraphSearchPlan;
  readonly results: GraphResults;
  /** The out-of-distribution ratio of the results. */
  readonly ratio: number;
}

type Results = Pick<GraphResults, 'entries' | 'count'> & { readonly topK: number };

export class DenseSearch {
  readonly #metric: Metric;
  readonly #rows: CheckedRows;
  readonly #monitor = new RecallMonitor();
  readonly #norms = new NormSpreads();
  readonly #prefetch = new CodePrefetch();

  constructor(metric: Metric, rows: CheckedRows) {
    this.#metric = metric;
    this.#rows = rows;
  }

  /** Offers the best of a segment to `top`. */
  search(
    selection: Selection,
    { request, namespaceId }: { readonly request: SearchRequest; readonly namespaceId: number },
    top: TopK,
  ): void {
    const { rowScorer } = selection.layout;
    if (request.values === null || rowScorer === null) throw new Error('a dense search needs dense parts');
    const space = this.#spaceOf(selection);
    const scorer = new RowScorer(selection.workspace, this.#rows.of(namespaceId), {
      values: request.values,
      metric: this.#metric,
      space,
      layout: rowScorer,
    });
    const postings = request.sparse === null ? null : openPostingLists(selection, request.sparse);
    postings?.storeBounds(selection.layout.sparseScores);
    const rescoring: Rescoring = { scorer, space, postings, top, explain: request.explain ?? null };
    const graph =
      request.sparse === null && selection.layout.graphScratch !== null ? selection.snapshot.graph : null;
    if (selection.snapshot.graph === null) this.#monitor.passTurn(selection);
    const dimension = request.values.length;
    if (graph === null) {
      scanExactly(selection, { from: 0, dimension }, rescoring);
      return;
    }
    const { isFiltered } = selection;
    const traversal = traversalOf(isFiltered ? selection.count(graph.slots) / graph.slots : null);
    const search: GraphSearch = {
      graph,
      request,
      record: this.#monitor.recordOf(selection, traversal, request.recall ?? null),
    };
    this.#monitor.search(() => {
      const isAudited = isUsual(request) && this.#monitor.isDue(selection);
      if (isAudited) this.#searchAndAudit(selection, search, rescoring);
      else {
        const from = this.#searchGraph(selection, search, rescoring);
        scanExactly(selection, { from, dimension }, rescoring);
      }
    });
  }

  /** Searches, and audits what the graph search has missed, and what less effort would have found. */
  #searchAndAudit(selection: Selection, search: GraphSearch, rescoring: Rescoring): void {
    const { record, request } = search;
    const { bound: least } = rescoring.top;
    const lesser = this.#monitor.audit(() => this.#findWithLessEffort(selection, { ...search, least }));
    const judgedEffort = record.effort;
    const audit = () => this.#monitor.audit(() => auditRange(selection, search, rescoring));
    const from = this.#searchGraph(selection, { ...search, audit }, rescoring);
    scanExactly(selection, { from, dimension: request.values?.length ?? 0 }, rescoring);
    this.#monitor.finishAudit();
    if (lesser !== null && record.effort === judgedEffort)
      noteLessEffort(selection, { ...search, lesser }, rescoring.top);
  }

  /**
   * Searches the graph if the plan says so, and again for more candidates as long as codes do not tell those that there
   * are from others. @returns the first slot that is left to scan
   */
  #searchGraph(
    selection: Selection,
    { graph, request, record, audit }: GraphSearch & { readonly audit?: () => void },
    rescoring: Rescoring,
  ): number {
    const { workspace } = selection;
    const effort = requestedEffort(request) * record.effort;
    const known = new Set<number>();
    for (let width = 1; ; width *= WIDEN_BY) {
      const { bound: least } = rescoring.top;
      const found = this.#find(selection, { graph, request, effort, width, least });
      if (found === null) {
        for (const slot of known) clearBit(selection.bitmap, slot);
        return 0;
      }
      const { entries, plan, count } = found;
      workspace.kernel.graph.boundResults({
        graph: graph.address,
        query: selection.layout.rowScorer?.query ?? 0,
        results: { entries, count },
        sparseScores: 0,
      });
      const candidates = entriesAt(workspace, entries, count);
      const scoring = { ...rescoring, firstBatchMin: plan.rescoreMin, known };
      const { areToldApart } = rescore(selection, candidates, scoring);
      if (areToldApart || !found.isCut || !mayWiden(request)) break;
      for (let at = 0; at < count; at++) known.add(candidates.slots[2 * at + 1] ?? 0);
    }
    explainRecall(request, record);
    rescoreUnencodable(selection, graph, rescoring);
    audit?.();
    return graph.slots;
  }

  /** The results of a graph search, to be scored; null where a scan is preferred. */
  #find(selection: Selection, attempt: GraphAttempt): Found | null {
    const { request } = attempt;
    const plan = this.#plan(selection, attempt);
    if (plan.structure === 'scan') return null;
    const results = this.#searchWithRetry(selection, attempt, plan);
    if (results === null || results.isAbandoned || results.count < plan.foundMin) return null;
    const count = Math.min(results.count, plan.candidates, request.candidatesMax ?? plan.candidates);
    const isCut = results.count >= Math.min(plan.candidates, plan.search.ef);
    return { entries: results.entries, count, isCut, plan };
  }

  /** The slots that a graph search finds with less effort, by several steps if need be; null where there is no less. */
  #findWithLessEffort(
    selection: Selection,
    { graph, request, record, least }: GraphSearch & Pick<GraphAttempt, 'least'>,
  ): ReadonlySet<number> | null {
    const unexplained = { ...request, explain: null };
    for (let effort = record.lessEffort; effort !== null; effort = lesserEffort(effort)) {
      const found = this.#find(selection, {
        graph,
        request: unexplained,
        effort: requestedEffort(request) * effort,
        ...{ width: 1, least },
      });
      if (found === null) continue;
      const { slots } = entriesAt(selection.workspace, found.entries, found.count);
      return new Set(Array.from({ length: found.count }, (_, i) => slots[2 * i + 1] ?? 0));
    }
    return null;
  }

  /** Searches the graph, and once more with more effort for an out-of-distribution query. Null: scan instead. */
  #searchWithRetry(
    selection: Selection,
    { graph, request, least }: GraphAttempt,
    plan: GraphSearchPlan,
  ): GraphResults | null {
    const { explain = null } = request;
    const results = this.#searchOnce(selection, graph, { plan, least });
    explainGraphSearch(explain, results);
    // Callers that request less effort take what there is.
    if (results === null || results.isAbandoned || results.count === 0) return results;
    if (requestedEffort(request) < 1) return results;
    const ratio = this.#outOfDistributionRatio(selection, graph, { ...results, topK: request.topK });
    const effortNeeded = retryEffort(ratio, plan);
    if (effortNeeded === Number.POSITIVE_INFINITY) return null;
    if (effortNeeded === 1) return this.#searchOtherSide(selection, { graph, request, plan, results, ratio });
    const repeated = this.#searchOnce(selection, graph, { plan: withEffort(plan, effortNeeded), least });
    explainGraphSearch(explain, repeated);
    return repeated;
  }

  /** The results, with those on the other side of a query that lies between groups of rows. */
  #searchOtherSide(selection: Selection, { graph, request, plan, results, ratio }: OneSide): GraphResults {
    const { values, explain = null } = request;
    const { metric } = this.#spaceOf(selection);
    if (values === null || !mayHaveOtherSide(metric, ratio)) return results;
    const searchOnce = (shorter: GraphSearchPlan) => {
      // Keys are those for another query.
      const found = this.#searchOnce(selection, graph, { plan: shorter, least: -Infinity });
      explainGraphSearch(explain, found);
      return found;
    };
    const dimension = values.length;
    return withOtherSide(selection, { graph, plan, dimension, metric, results, searchOnce });
  }

  /**
   * The ratio of the first result, or of the last requested one if it is higher and lies elsewhere: beside an outlier,
   * all other rows are far away.
   */
  #outOfDistributionRatio(selection: Selection, graph: GraphPart, { entries, count, topK }: Results): number {
    const { layout, workspace } = selection;
    const { keys, slots } = entriesAt(workspace, entries, count);
    const last = Math.min(topK, count) - 1;
    const outOfDistributionRatio = (at: number): number =>
      workspace.kernel.graph.outOfDistributionRatio({
        graph: graph.address,
        query: layout.rowScorer?.query ?? 0,
        result: { slot: slots[2 * at + 1] ?? 0, key: keys[2 * at] ?? 0 },
        scratch: { address: layout.graphScratch ?? 0, beamCapacity: 0 },
      });
    const { metric } = this.#spaceOf(selection);
    const isElsewhere = liesElsewhere(metric, keys[0] ?? 0, keys[2 * last] ?? 0);
    return isElsewhere
      ? Math.max(outOfDistributionRatio(0), outOfDistributionRatio(last))
      : outOfDistributionRatio(0);
  }

  #searchOnce(
    selection: Selection,
    graph: GraphPart,
    { plan, least }: { readonly plan: GraphSearchPlan; readonly least: number },
  ): GraphResults | null {
    const { layout, snapshot, workspace, isFiltered } = selection;
    const isAll = !isFiltered && snapshot.liveCount === snapshot.slotCount;
    const { candidates, search } = plan;
    const { hasNodeCodes } = graph;
    const work = {
      graph: graph.address,
      query: layout.rowScorer?.query ?? 0,
      scratch: { address: layout.graphScratch ?? 0, beamCapacity: plan.beamCapacity },
    };
    const results = workspace.kernel.graph.search({
      ...work,
      bitmap: isAll ? 0 : selection.bitmap.byteOffset,
      slotLimit: graph.slots,
      candidates,
      ...search,
      ...(hasNodeCodes && {
        candidates: NODE_CODES.ESTIMATED_PER_CANDIDATE * candidates,
        ef: Math.min(plan.beamCapacity, NODE_CODES.EF_FACTOR * search.ef),
      }),
    });
    if (results === null || !hasNodeCodes) return results;
    const refined = refineResults(selection, {
      results,
      keying: work,
      wanted: plan.rescoreMin,
      least,
      prefetch: this.#prefetch,
    });
    return { ...results, count: Math.min(refined, candidates), distances: results.distances + refined };
  }

  #plan(selection: Selection, { graph, request, effort, width }: GraphAttempt): SearchPlan {
    const { view, workspace } = selection;
    const { slots } = graph;
    const dimension = request.values?.length ?? 0;
    const { metric } = this.#spaceOf(selection);
    return planSearch({
      topK: request.topK,
      dimension,
      evenNorms: metric === 'cosine' || this.#norms.areEven({ view, workspace, dimension }, slots),
      graphSlots: slots,
      ...{ effort, width },
      matching: selection.count(slots),
    });
  }

  #spaceOf({ view }: Selection): CodeSpace {
    return new CodeSpace(this.#metric, view.origin);
  }
}

/** True when the caller leaves the effort to the engine, or names the recall that is due. */
function isUsual(request: SearchRequest): boolean {
  const { effort = 1, recall, candidatesMax } = request;
  return (recall !== undefined || effort === 1) && candidatesMax === undefined;
}

/** False for callers who ask for less than the default: they take what there is. */
function mayWiden(request: SearchRequest): boolean {
  return requestedEffort(request) >= 1 && request.candidatesMax === undefined;
}

/** Factor on the usual effort. */
function requestedEffort({ effort = 1, recall }: SearchRequest): number {
  return recall === undefined ? effort : effortForRecall(recall);
}

function explainRecall(request: SearchRequest, { effort, auditedRecall }: GraphSearch['record']): void {
  const expectedRecall = recallForEffort(requestedEffort(request));
  request.explain?.addGraphSearch({ effort, expectedRecall, auditedRecall });
}

/** Counts what the search has missed in a range of the graph's slots, and adds it to the best. */
function auditRange(
  selection: Selection,
  { graph, record, request }: GraphSearch,
  rescoring: Rescoring,
): void {
  const range = record.nextRange(graph.slots, request.values?.length ?? 0);
  const answered = topIn(selection, rescoring.top).slots.length;
  const missed = findMissed(selection, range, { ...rescoring, explain: null });
  record.note({ missed, found: (answered * (range.until - range.from)) / graph.slots });
}

function noteLessEffort(
  selection: Selection,
  { graph, record, lesser }: GraphSearch & { readonly lesser: ReadonlySet<number> },
  top: TopK,
): void {
  // Slots that the graph rejected are always scored, and found by no graph search.
  const unplaced = new Set(selection.view.unplacedSlots(graph));
  const best = topIn(selection, top).slots.filter((slot) => slot < graph.slots && !unplaced.has(slot));
  record.noteLessEffort({ missed: best.filter((slot) => !lesser.has(slot)).length, found: best.length });
}

function explainGraphSearch(explain: QueryExplain | null, results: GraphResults | null): void {
  if (explain === null || results === null) return;
  explain.nodesVisited += results.nodes;
  explain.distances += results.distances;
  explain.endStage('search');
}

/**
 * True when the result with the key `last` may lie in another neighborhood than the best one; keys are those of graph
 * results.
 */
function liesElsewhere(metric: Metric, best: number, last: number): boolean {
  // Products depend on norms, too.
  if (metric === 'dotproduct') return true;
  const distance = (key: number): number => (metric === 'cosine' ? 1 - key : -key);
  return distance(last) > OUT_OF_DISTRIBUTION.LAST_RESULT_FACTOR * distance(best);
}
