// Search by dense vectors in shared memory: a walk through the proximity graph where there is one, a scan of the codes of
// all other slots for upper bounds of their scores, and exact scores of the best until no other can be among the results.
import type { Metric } from '../../../domain/index-model.ts';
import type { QueryExplain } from '../../../domain/query-explain.ts';
import {
  type GraphSearchPlan,
  planSearch,
  retryEffort,
  type SearchPlan,
  withEffort,
} from '../ann/search-plan.ts';
import { BEAM_CAPACITY_MAX } from '../ann/search-tuning.ts';
import type { GraphResults } from '../kernels/graph-interface.ts';
import type { GraphPart } from '../segments/segment-reader.ts';
import type { RowFile } from '../storage/row-file.ts';
import { beginScan, endScan, scanCodes } from './code-scan.ts';
import { entriesAt, heapEntries, isSure } from './heap-entries.ts';
import { NormSpreads } from './norm-spread.ts';
import { findMissed } from './recall-audit.ts';
import { lessThan, RecallWatch, type WalkRecord } from './recall-monitor.ts';
import { type Rescoring, rescore, rescoreUnplaced } from './rescoring.ts';
import { RowScorer } from './row-scorer.ts';
import type { SearchRequest } from './search-request.ts';
import { bestIn, type Selection } from './selection.ts';
import { openPostingLists } from './sparse-search.ts';
import type { TopHits } from './top-k.ts';

/** A query that may walk through a segment's graph. */
interface GraphSearch {
  readonly graph: GraphPart;
  readonly request: SearchRequest;
  readonly record: WalkRecord;
}

interface Walk extends Omit<GraphSearch, 'record'> {
  /** Times the usual one. */
  readonly effort: number;
}

interface Found {
  /** Address of the findings, nearest first. */
  readonly entries: number;
  readonly count: number;
  readonly plan: GraphSearchPlan;
}

type Wanted = Pick<GraphResults, 'entries' | 'count'> & { readonly topK: number };

/** Times as far from the query as the best finding: less far, the last lies in the same neighbourhood. */
const ELSEWHERE_MIN = 3;

export class DenseSearch {
  readonly #metric: Metric;
  readonly #rowFile: RowFile;
  readonly #watch = new RecallWatch();
  readonly #norms = new NormSpreads();

  constructor(metric: Metric, rowFile: RowFile) {
    this.#metric = metric;
    this.#rowFile = rowFile;
  }

  /**
   * Offers a segment's best to `top`.
   * @returns false when too few upper bounds were kept to be sure of the slots that were scanned
   */
  search(selection: Selection, request: SearchRequest, top: TopHits): boolean {
    const { rowScorer } = selection.places;
    if (request.values === null || rowScorer === null) throw new Error('a dense search needs dense parts');
    const scorer = new RowScorer(selection.workspace, this.#rowFile, {
      values: request.values,
      metric: this.#metric,
      places: rowScorer,
    });
    const postings = request.sparse === null ? null : openPostingLists(selection, request.sparse);
    postings?.storeBounds(selection.places.sparseScores);
    const sign = this.#metric === 'euclidean' ? -1 : 1;
    const rescoring: Rescoring = { scorer, sign, postings, top, explain: request.explain ?? null };
    const graph = request.sparse === null && selection.places.walk !== null ? selection.snapshot.graph : null;
    if (graph === null) return this.#scan(selection, 0, rescoring);
    const search: GraphSearch = { graph, request, record: this.#watch.recordOf(selection) };
    if (request.explain) request.explain.effort = search.record.effort;
    return this.#watch.search(() => {
      const isWatched = isUsual(request) && this.#watch.isDue(selection);
      return isWatched
        ? this.#searchAndLook(selection, search, rescoring)
        : this.#scan(selection, this.#searchGraph(selection, search, rescoring), rescoring);
    });
  }

  /** Searches, and looks at what a walk has missed and what less effort would have found. */
  #searchAndLook(selection: Selection, search: GraphSearch, rescoring: Rescoring): boolean {
    const { record } = search;
    const lesser = this.#watch.look(() => this.#findWithLess(selection, search));
    const judged = record.effort;
    const look = () => this.#watch.look(() => lookForMissed(selection, search, rescoring));
    const scanFrom = this.#searchGraph(selection, { ...search, look }, rescoring);
    const isSureOfScan = this.#scan(selection, scanFrom, rescoring);
    this.#watch.looked();
    if (lesser !== null && record.effort === judged)
      noteLess(selection, { ...search, lesser }, rescoring.top);
    return isSureOfScan;
  }

  /** Searches the graph by a walk, if that is the way. @returns the first slot that is left to scan */
  #searchGraph(
    selection: Selection,
    { graph, request, record, look }: GraphSearch & { readonly look?: () => void },
    rescoring: Rescoring,
  ): number {
    const { workspace } = selection;
    const effort = (request.effort ?? 1) * record.effort;
    const found = this.#find(selection, { graph, request, effort });
    if (found === null) return 0;
    const { entries, plan } = found;
    workspace.kernel.graph.boundResults({
      graph: graph.address,
      query: selection.places.rowScorer?.query ?? 0,
      results: { entries, count: found.count },
      sparseScores: 0,
    });
    const candidates = entriesAt(workspace, entries, found.count);
    rescore(selection, candidates, { ...rescoring, lotMin: plan.rescoreMin });
    rescoreUnplaced(selection, graph, rescoring);
    look?.();
    return graph.slots;
  }

  /** What a walk finds, to be scored; null where a scan is to be preferred. */
  #find(selection: Selection, { graph, request, effort }: Walk): Found | null {
    const plan = this.#plan(selection, { graph, request, effort });
    if (plan.structure === 'scan') return null;
    const results = this.#walk(selection, { graph, request, effort }, plan);
    if (results === null || results.isAbandoned || results.count < plan.foundMin) return null;
    const count = Math.min(results.count, plan.candidates, request.candidatesMax ?? plan.candidates);
    return { entries: results.entries, count, plan };
  }

  /** The slots that a walk of less effort finds, be it much less; null where there is none to try. */
  #findWithLess(selection: Selection, { graph, request, record }: GraphSearch): ReadonlySet<number> | null {
    const unexplained = { ...request, explain: null };
    for (let effort = record.lessEffort; effort !== null; effort = lessThan(effort)) {
      const found = this.#find(selection, { graph, request: unexplained, effort });
      if (found === null) continue;
      const { slots } = entriesAt(selection.workspace, found.entries, found.count);
      return new Set(Array.from({ length: found.count }, (_, i) => slots[2 * i + 1] ?? 0));
    }
    return null;
  }

  /** Walks, and once more with more effort when what was found is far from the query. Null: scan. */
  #walk(selection: Selection, { graph, request }: Walk, plan: GraphSearchPlan): GraphResults | null {
    const { explain = null } = request;
    const results = this.#walkOnce(selection, graph, plan);
    noteWalk(explain, results);
    // Whoever wants less effort takes what there is.
    const takesLess = (request.effort ?? 1) < 1;
    if (results === null || results.isAbandoned || results.count === 0 || takesLess) return results;
    const more = retryEffort(
      this.#outOfDistributionRatio(selection, graph, { ...results, topK: request.topK }),
      plan,
    );
    if (more === 1) return results;
    if (more === Number.POSITIVE_INFINITY) return null;
    const wider = this.#walkOnce(selection, graph, withEffort(plan, more));
    noteWalk(explain, wider);
    return wider;
  }

  /** Of the best finding, and of the last one wanted where that lies elsewhere: beside a row that lies alone, all others are far. */
  #outOfDistributionRatio(selection: Selection, graph: GraphPart, { entries, count, topK }: Wanted): number {
    const { places, workspace } = selection;
    const { keys, slots } = entriesAt(workspace, entries, count);
    const last = Math.min(topK, count) - 1;
    const outOfDistributionRatio = (at: number): number =>
      workspace.kernel.graph.outOfDistributionRatio({
        graph: graph.address,
        query: places.rowScorer?.query ?? 0,
        result: { slot: slots[2 * at + 1] ?? 0, key: keys[2 * at] ?? 0 },
        scratch: { address: places.walk ?? 0, beamCapacity: 0 },
      });
    const isElsewhere = liesElsewhere(this.#metric, keys[0] ?? 0, keys[2 * last] ?? 0);
    return isElsewhere
      ? Math.max(outOfDistributionRatio(0), outOfDistributionRatio(last))
      : outOfDistributionRatio(0);
  }

  #walkOnce(selection: Selection, graph: GraphPart, plan: GraphSearchPlan): GraphResults | null {
    const { places, snapshot, workspace, isFiltered } = selection;
    const isAll = !isFiltered && snapshot.liveCount === snapshot.slotCount;
    const { ef, ties, termination, filtered } = plan.search;
    return workspace.kernel.graph.search({
      graph: graph.address,
      query: places.rowScorer?.query ?? 0,
      bitmap: isAll ? 0 : selection.bitmap.byteOffset,
      slotLimit: graph.slots,
      scratch: { address: places.walk ?? 0, beamCapacity: plan.beamCapacity },
      ef,
      ties,
      termination,
      filtered,
      candidates: plan.candidates,
    });
  }

  #plan(selection: Selection, { graph, request, effort }: Walk): SearchPlan {
    const { view, workspace } = selection;
    const { slots } = graph;
    const dimension = request.values?.length ?? 0;
    return planSearch({
      topK: request.topK,
      dimension,
      evenNorms: this.#metric === 'cosine' || this.#norms.areEven({ view, workspace, dimension }, slots),
      graphSlots: slots,
      effort,
      matching: selection.count(slots),
    });
  }

  #scan(selection: Selection, from: number, rescoring: Rescoring): boolean {
    const { places, snapshot, workspace } = selection;
    const { explain } = rescoring;
    if (explain !== null) noteScan(explain, { from, selection });
    if (from === snapshot.slotCount) return true;
    beginScan(selection);
    const scanFrom = from === 0 ? this.#scanGraph(selection) : from;
    clearBits(selection.bitmap, scanFrom);
    scanCodes(selection, { from: scanFrom, until: snapshot.slotCount });
    const heap = endScan(selection);
    explain?.endStage('search');
    if (explain !== null) explain.distances += heap.offered;
    rescore(selection, heapEntries(workspace, places.heap, heap.count), rescoring);
    return isSure(rescoring.top, heap);
  }

  /** Scans the slots that are in the graph, faster where few are wanted. @returns the first slot left */
  #scanGraph({ places, snapshot, workspace, bitmap }: Selection): number {
    const { graph } = snapshot;
    if (graph === null || places.walk === null) return 0;
    workspace.kernel.graph.scan({
      graph: graph.address,
      query: places.rowScorer?.query ?? 0,
      bitmap: bitmap.byteOffset,
      slotLimit: graph.slots,
      sparseScores: places.sparseScores,
      heap: places.heap,
      scratch: { address: places.walk, beamCapacity: BEAM_CAPACITY_MAX },
    });
    return graph.slots;
  }
}

/** True when the caller leaves to us how hard to search. */
function isUsual({ effort = 1, candidatesMax }: SearchRequest): boolean {
  return effort === 1 && candidatesMax === undefined;
}

/** Counts what a walk has missed in some of the graph's slots, and puts it among the best. */
function lookForMissed(
  selection: Selection,
  { graph, record, request }: GraphSearch,
  rescoring: Rescoring,
): void {
  const range = record.nextRange(graph.slots, request.values?.length ?? 0);
  const answered = bestIn(selection, rescoring.top).slots.length;
  const missed = findMissed(selection, range, { ...rescoring, explain: null });
  record.note({ missed, found: (answered * (range.until - range.from)) / graph.slots });
}

function noteLess(
  selection: Selection,
  { graph, record, lesser }: GraphSearch & { readonly lesser: ReadonlySet<number> },
  top: TopHits,
): void {
  // Those that the graph refused are always scored, and found by no walk.
  const unplaced = new Set(selection.view.unplacedSlots(graph));
  const best = bestIn(selection, top).slots.filter((slot) => slot < graph.slots && !unplaced.has(slot));
  record.noteLess({ missed: best.filter((slot) => !lesser.has(slot)).length, found: best.length });
}

function noteWalk(explain: QueryExplain | null, results: GraphResults | null): void {
  if (explain === null || results === null) return;
  explain.nodesVisited += results.nodes;
  explain.distances += results.distances;
  explain.endStage('search');
}

/** `from`: the first slot to scan; 0 when there was no walk. */
function noteScan(
  explain: QueryExplain,
  { from, selection: { snapshot } }: { readonly from: number; readonly selection: Selection },
): void {
  const tail = snapshot.slotCount - from;
  if (from > 0) explain.tail += tail;
  explain.structure = from === 0 ? 'scan' : tail === 0 ? 'graph' : 'graph+tail';
}

/** Clears the bits of the slots below `until` in the words that a scan from there on looks at, and before. */
function clearBits(bitmap: Uint32Array, until: number): void {
  bitmap.fill(0, 0, until >>> 5);
  bitmap[until >>> 5] = (bitmap[until >>> 5] ?? 0) & (-1 << (until & 31));
}

/** True when a finding of the key `last` may lie among other rows than the best one; keys of walks, as GraphResults has them. */
function liesElsewhere(metric: Metric, best: number, last: number): boolean {
  // How far products are depends on norms, too.
  if (metric === 'dotproduct') return true;
  const distance = (key: number): number => (metric === 'cosine' ? 1 - key : -key);
  return distance(last) > ELSEWHERE_MIN * distance(best);
}
