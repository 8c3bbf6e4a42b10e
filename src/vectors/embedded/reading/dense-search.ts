// Search by dense vectors in shared memory: a walk through the proximity graph where there is one, a scan of the codes of
// all other slots for upper bounds of their scores, and exact scores of the best until no other can be among the results.
import type { Metric } from '../../../domain/index-model.ts';
import type { QueryExplain } from '../../../domain/query-explain.ts';
import type { QueryRequest } from '../../port.ts';
import type { GraphFindings } from '../kernels/graph-interface.ts';
import type { GraphPart } from '../memory/namespace-view.ts';
import type { PostingsSearch } from '../postings/postings-search.ts';
import type { RowFile } from '../storage/row-file.ts';
import { countBits } from './bitmap.ts';
import { type Entries, entriesAt, heapEntries, isSure } from './heap-entries.ts';
import { ROWS_A_LOT, RowScorer } from './row-scorer.ts';
import {
  effortFor,
  PLACES_MAX,
  planSearch,
  type SearchPlan,
  type WalkPlan,
  withEffort,
} from './search-plan.ts';
import { globalSlot, type Selection } from './selection.ts';
import { openPostings } from './sparse-search.ts';
import type { TopHits } from './top-hits.ts';

/** Candidates to score after the first lot. */
const LOT_AFTER_FIRST = 4;

/** How one query is rescored in one segment. */
interface Rescoring {
  readonly scorer: RowScorer;
  /** Of a hybrid query. */
  readonly postings: PostingsSearch | null;
  /** The best of all segments so far. */
  readonly top: TopHits;
  readonly explain: QueryExplain | null;
  /** Scored before the first look at the bounds. */
  readonly lotMin?: number;
}

export class DenseSearch {
  readonly #metric: Metric;
  readonly #rowFile: RowFile;

  constructor(metric: Metric, rowFile: RowFile) {
    this.#metric = metric;
    this.#rowFile = rowFile;
  }

  /**
   * Offers a segment's best to `top`.
   * @returns false when too few upper bounds were kept to be sure of the slots that were scanned
   */
  search(selection: Selection, request: QueryRequest, top: TopHits): boolean {
    const { rowScorer } = selection.places;
    if (request.values === null || rowScorer === null) throw new Error('a dense search needs dense parts');
    const scorer = new RowScorer(selection.workspace, this.#rowFile, {
      values: request.values,
      metric: this.#metric,
      places: rowScorer,
    });
    const postings = request.sparse === null ? null : openPostings(selection, request.sparse);
    postings?.storeBounds(selection.places.sparseScores);
    const rescoring = { scorer, postings, top, explain: request.explain ?? null };
    const scanFrom = this.#searchGraph(selection, request, rescoring);
    return this.#scan(selection, scanFrom, rescoring);
  }

  /** Searches the graph, where there is one. @returns the first slot that is left to scan */
  #searchGraph(selection: Selection, request: QueryRequest, rescoring: Rescoring): number {
    const { graph } = selection.snapshot;
    if (graph === null || selection.places.walk === null || request.sparse !== null) return 0;
    const plan = this.#plan(selection, request, graph);
    if (plan.structure === 'scan') return 0;
    const findings = this.#walk(selection, graph, { plan, request });
    if (findings === null || findings.isCut || findings.count < plan.foundMin) return 0;
    const { places, workspace } = selection;
    const count = Math.min(findings.count, plan.candidates, request.candidatesMax ?? plan.candidates);
    workspace.kernel.graph.boundFindings({
      graph: graph.address,
      query: places.rowScorer?.query ?? 0,
      findings: { entries: findings.entries, count },
      sparseScores: 0,
    });
    this.#rescore(selection, entriesAt(workspace, findings.entries, count), {
      ...rescoring,
      lotMin: plan.rescoreMin,
    });
    this.#rescoreUnplaced(selection, graph, rescoring);
    clearBits(selection.bitmap, graph.slots);
    return graph.slots;
  }

  /** Walks, and once more with more effort when the best found is far from the query. Null: scan. */
  #walk(
    selection: Selection,
    graph: GraphPart,
    { plan, request }: { readonly plan: WalkPlan; readonly request: QueryRequest },
  ): GraphFindings | null {
    const { explain = null, effort = 1 } = request;
    const findings = this.#walkOnce(selection, graph, plan);
    noteWalk(explain, findings);
    // Whoever wants less effort takes what there is.
    if (findings === null || findings.isCut || findings.count === 0 || effort < 1) return findings;
    const more = effortFor(faintnessOf(selection, graph, findings), plan);
    if (more === 1) return findings;
    if (more === Number.POSITIVE_INFINITY) return null;
    const wider = this.#walkOnce(selection, graph, withEffort(plan, more));
    noteWalk(explain, wider);
    return wider;
  }

  #walkOnce(selection: Selection, graph: GraphPart, plan: WalkPlan): GraphFindings | null {
    const { places, snapshot, workspace, isFiltered } = selection;
    const isAll = !isFiltered && snapshot.liveCount === snapshot.slotCount;
    return workspace.kernel.graph.search({
      graph: graph.address,
      query: places.rowScorer?.query ?? 0,
      bitmap: isAll ? 0 : places.bitmap,
      slotLimit: graph.slots,
      scratch: { address: places.walk ?? 0, places: plan.places },
      ...plan.walk,
    });
  }

  #plan(
    { bitmap, snapshot, isFiltered }: Selection,
    request: QueryRequest,
    { slots }: GraphPart,
  ): SearchPlan {
    const isAll = !isFiltered && snapshot.liveCount === snapshot.slotCount;
    return planSearch({
      topK: request.topK,
      metric: this.#metric,
      dimension: request.values?.length ?? 0,
      graphSlots: slots,
      effort: request.effort ?? 1,
      wanted: isAll ? slots : Math.min(slots, countBits(bitmap, Math.ceil(slots / 32))),
    });
  }

  #scan(selection: Selection, from: number, rescoring: Rescoring): boolean {
    const { places, view, snapshot, workspace } = selection;
    const { kernel } = workspace;
    const { explain } = rescoring;
    if (explain !== null) noteScan(explain, { from, selection });
    if (from === snapshot.slotCount) return true;
    kernel.resetHeap(places.heap, places.heapCapacity);
    const framesFrom = from === 0 ? this.#scanGraph(selection) : from;
    for (const { address, firstSlot, rows } of view.codeFrames(framesFrom, snapshot.slotCount)) {
      kernel.scanFrame({
        query: places.rowScorer?.query ?? 0,
        heap: places.heap,
        frame: address,
        rowCount: rows,
        firstSlot,
        bitmap: places.bitmap,
        sparseScores: places.sparseScores,
      });
    }
    const heap = kernel.finishHeap(places.heap);
    explain?.endStage('search');
    if (explain !== null) explain.distances += heap.offered;
    this.#rescore(selection, heapEntries(workspace, places.heap, heap.count), rescoring);
    return isSure(rescoring.top, heap);
  }

  /** Scans the slots that are in the graph, faster where few are wanted. @returns the first slot left */
  #scanGraph({ places, snapshot, workspace, bitmap }: Selection): number {
    const { graph } = snapshot;
    if (graph === null || places.walk === null) return 0;
    workspace.kernel.graph.scan({
      graph: graph.address,
      query: places.rowScorer?.query ?? 0,
      bitmap: places.bitmap,
      slotLimit: graph.slots,
      sparseScores: places.sparseScores,
      heap: places.heap,
      scratch: { address: places.walk, places: PLACES_MAX },
    });
    clearBits(bitmap, graph.slots);
    return graph.slots;
  }

  /** Scores candidates exactly, best upper bound first, until the rest cannot be among the results. */
  #rescore(
    selection: Selection,
    entries: Entries,
    { scorer, postings, top, explain, lotMin }: Rescoring,
  ): void {
    const { slots, count } = entries;
    const { view } = selection;
    const sign = this.#metric === 'euclidean' ? -1 : 1;
    let lotMax = Math.min(ROWS_A_LOT, lotMin ?? Math.max(16, top.capacity));
    for (let first = 0; first < count; ) {
      const lot = countHopeful(entries, { from: first, most: lotMax, bound: top.bound });
      if (lot === 0) break;
      const rows = Array.from({ length: lot }, (_, i) => view.rowOfSlot(slots[(first + i) * 2 + 1] ?? 0));
      const scores = scorer.score(rows);
      for (let i = 0; i < lot; i++) {
        const slot = slots[(first + i) * 2 + 1] ?? 0;
        const score = sign * (scores[i] ?? 0) + (postings?.score(slot) ?? 0);
        top.offer(score, globalSlot(selection, slot));
      }
      if (explain !== null) explain.rowsScored += lot;
      // A few more than topK mostly end the search; where they do not, lots grow again.
      lotMax = first === 0 ? LOT_AFTER_FIRST : Math.min(ROWS_A_LOT, 2 * lotMax);
      first += lot;
    }
    explain?.endStage('rescore');
  }

  /** Rows that codes cannot describe have no bounds: each is scored. */
  #rescoreUnplaced(selection: Selection, graph: GraphPart, { scorer, top }: Rescoring): void {
    const { view, bitmap } = selection;
    const wanted = view
      .unplacedSlots(graph)
      .filter((slot) => (((bitmap[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1);
    const sign = this.#metric === 'euclidean' ? -1 : 1;
    for (let first = 0; first < wanted.length; first += ROWS_A_LOT) {
      const lot = wanted.slice(first, first + ROWS_A_LOT);
      const scores = scorer.score(lot.map((slot) => view.rowOfSlot(slot)));
      lot.forEach((slot, i) => {
        top.offer(sign * (scores[i] ?? 0), globalSlot(selection, slot));
      });
    }
  }
}

function faintnessOf({ places, workspace }: Selection, graph: GraphPart, findings: GraphFindings): number {
  const { keys, slots } = entriesAt(workspace, findings.entries, 1);
  return workspace.kernel.graph.faintness({
    graph: graph.address,
    query: places.rowScorer?.query ?? 0,
    best: { slot: slots[1] ?? 0, key: keys[0] ?? 0 },
    scratch: { address: places.walk ?? 0, places: 0 },
  });
}

/** How many of the next entries, best bound first, may still be among the best. */
function countHopeful(
  { keys, count }: Entries,
  { from, most, bound }: { readonly from: number; readonly most: number; readonly bound: number },
): number {
  const end = Math.min(count, from + most);
  let at = from;
  while (at < end && (keys[at * 2] ?? 0) >= bound) at++;
  return at - from;
}

function noteWalk(explain: QueryExplain | null, findings: GraphFindings | null): void {
  if (explain === null || findings === null) return;
  explain.nodesVisited += findings.nodes;
  explain.distances += findings.distances;
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
