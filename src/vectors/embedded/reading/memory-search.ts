// Search of a namespace in shared memory: filter to a bitmap, scan of the codes for upper bounds of the scores, exact
// scores of the best, until no unscored record can be among the results (branch and bound).
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { QueryRequest, SparseVector } from '../../port.ts';
import type { HeapSummary } from '../kernels/kernel.ts';
import { HEAP_ENTRY_BYTES, HEAP_HEADER_BYTES } from '../kernels/layout.ts';
import type { NamespaceView, Snapshot } from '../memory/namespace-view.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import type { LocatedRecord } from '../storage/record-store.ts';
import { SEQ } from '../writing/write-transaction.ts';
import { countBits, intersect, setBits } from './bitmap.ts';
import type { DirectSearch } from './direct-search.ts';
import type { LoadedViews } from './loaded-views.ts';
import { ROWS_A_LOT, RowScorer } from './row-scorer.ts';
import { type Needs, type Places, planPlaces } from './search-places.ts';
import { byScore, compareIds, type Hit, type NamespaceSearch, type SearchTarget } from './search-target.ts';
import { TopHits } from './top-hits.ts';
import type { Workspace } from './workspace.ts';

/** Upper bounds kept in the first scan: enough for nearly every query of topK 10 (docs/decisions). */
const CANDIDATES_MIN = 256;
const CANDIDATES_PER_RESULT = 4;
/** How much wider each further scan is. */
const WIDEN_BY = 8;
/** Where widening ends: beyond, only near-duplicates of the results are left to compare. */
const CANDIDATES_MAX = 65_536;
/** Kept beyond the results of a sparse scan, for scores equal to the last: ids decide among them. */
const SPARSE_TIES_MIN = 1_000;
/** Slots that may appear between looking at their number and taking the snapshot. */
const SLOTS_HEADROOM = 65_536;
/** Above this share of matches, walking ids in order finds a page sooner than collecting all matches. */
const WALK_SHARE_MIN = 0.05;

/** The matching slots of a consistent state. The bitmap lies at `bitmapAddress` in the arena. */
interface Selection {
  readonly view: NamespaceView;
  readonly snapshot: Snapshot;
  readonly bitmap: Uint32Array;
  readonly words: number;
  readonly places: Places;
}

const NO_NEEDS: Needs = { candidates: 0, dense: false, sparse: null };

export class MemorySearch implements NamespaceSearch {
  readonly #profile: IndexProfile;
  readonly #files: IndexFiles;
  readonly #workspace: Workspace;
  readonly #views: LoadedViews;
  readonly #direct: DirectSearch;

  constructor(
    profile: IndexProfile,
    files: IndexFiles,
    parts: { readonly workspace: Workspace; readonly views: LoadedViews; readonly direct: DirectSearch },
  ) {
    this.#profile = profile;
    this.#files = files;
    this.#workspace = parts.workspace;
    this.#views = parts.views;
    this.#direct = parts.direct;
  }

  query(target: SearchTarget, request: QueryRequest): readonly Hit[] | null {
    const dense = request.values !== null;
    const { sparse } = request;
    let candidates = dense
      ? Math.max(CANDIDATES_MIN, request.topK * CANDIDATES_PER_RESULT)
      : request.topK + SPARSE_TIES_MIN;
    for (;;) {
      const selection = this.#select(target, request.filter, { candidates, dense, sparse });
      if (selection === 'changed') return null;
      if (selection === 'no room') return this.#direct.query(target, request);
      const found = dense ? this.#bestDense(selection, request) : this.#bestSparse(selection, request);
      if (found !== null) return this.#hits(target, selection, { found, topK: request.topK });
      candidates *= WIDEN_BY;
    }
  }

  firstMatching(
    target: SearchTarget,
    filter: Filter,
    page: { readonly after: string | null; readonly limit: number },
  ): readonly LocatedRecord[] | null {
    const selection = this.#select(target, filter, NO_NEEDS);
    if (selection === 'changed') return null;
    if (selection === 'no room') return this.#direct.firstMatching(target, filter, page);
    const { bitmap, words, snapshot } = selection;
    if (countBits(bitmap, words) > snapshot.slotCount * WALK_SHARE_MIN)
      return this.#direct.firstMatching(target, filter, page);
    const slots = [...setBits(bitmap, words)];
    const records = this.#records(target, selection, slots);
    if (records === null) return null;
    const rest = records.filter((record) => page.after === null || compareIds(record.id, page.after) > 0);
    return rest.sort((a, b) => compareIds(a.id, b.id)).slice(0, page.limit);
  }

  count(target: SearchTarget, filter: Filter): number | null {
    const selection = this.#select(target, filter, NO_NEEDS);
    if (selection === 'changed') return null;
    if (selection === 'no room') return this.#direct.count(target, filter);
    return countBits(selection.bitmap, selection.words);
  }

  /** Takes a snapshot of the namespace and narrows its live slots to those that match. */
  #select(target: SearchTarget, filter: Filter | null, needs: Needs): Selection | 'changed' | 'no room' {
    this.#views.catchUp();
    const view = this.#views.get(target.spaceId);
    if (view === null || view === 'tooLarge') return 'changed';
    const { scratch } = this.#workspace;
    const dimension = this.#profile.dimension ?? 0;
    const places = planPlaces(scratch, needs, { slots: view.slotCount + SLOTS_HEADROOM, dimension });
    if (places === null) return 'no room';
    const bitmap = new Uint32Array(
      this.#workspace.arena.buffer,
      places.bitmap,
      Math.ceil((view.slotCount + SLOTS_HEADROOM) / 32),
    );
    const snapshot = view.snapshot(bitmap);
    // Columns are known up to the last catch-up: a newer structure may be needed to read this snapshot right.
    if (snapshot === null || !this.#views.isCurrent()) return 'changed';
    this.#openRecords();
    const words = Math.ceil(snapshot.slotCount / 32);
    if (filter !== null) {
      const { filterable } = target;
      const matching = view.columns.evaluate(filter, { slotCount: snapshot.slotCount, filterable });
      intersect(bitmap, matching, words);
      view.columns.release(matching);
    }
    return { view, snapshot, bitmap, words, places };
  }

  /**
   * Begins to read records right after the memory's snapshot, so that a long scan gives writes no time to part the
   * two. Never before it: the records could then be older than the memory, unnoticed.
   */
  #openRecords(): void {
    this.#files.store.refresh();
    this.#files.store.getNumber(SEQ);
  }

  /** Null when too few upper bounds were kept to be sure of the result. */
  #bestDense(selection: Selection, request: QueryRequest): TopHits | null {
    const { kernel } = this.#workspace;
    const { places, view, snapshot } = selection;
    const { rowFile } = this.#files;
    if (request.values === null || rowFile === null || places.rowScorer === null)
      throw new Error('a dense search needs dense parts');
    if (request.sparse !== null) this.#storeSparseScores(selection, request.sparse);
    const { metric } = this.#profile;
    const scorer = new RowScorer(this.#workspace, rowFile, {
      values: request.values,
      metric,
      places: places.rowScorer,
    });
    kernel.resetHeap(places.heap, places.heapCapacity);
    for (const { address, firstSlot, rows } of view.codeFrames(snapshot.slotCount)) {
      kernel.scanFrame({
        query: places.rowScorer.query,
        heap: places.heap,
        frame: address,
        rowCount: rows,
        firstSlot,
        bitmap: places.bitmap,
        sparseScores: places.sparseScores,
      });
    }
    return this.#rescore(selection, scorer, { heap: kernel.finishHeap(places.heap), topK: request.topK });
  }

  /** Scores candidates exactly, best upper bound first, until the rest cannot be among the results. */
  #rescore(
    { places, view }: Selection,
    scorer: RowScorer,
    { heap, topK }: { readonly heap: HeapSummary; readonly topK: number },
  ): TopHits | null {
    const { keys, slots } = this.#heapEntries(places.heap, heap.count);
    const sparseScores =
      places.sparseScores === 0 ? null : new Float32Array(this.#workspace.arena.buffer, places.sparseScores);
    const sign = this.#profile.metric === 'euclidean' ? -1 : 1;
    const top = new TopHits(topK);
    // Small lots at first: the bound often ends the search after a few more than topK.
    let lot = Math.min(ROWS_A_LOT, Math.max(16, topK));
    for (let first = 0; first < heap.count; first += lot) {
      lot = Math.min(lot, heap.count - first);
      if (top.bound > (keys[first * 2] ?? 0)) return top;
      const rows = Array.from({ length: lot }, (_, i) => view.rowOfSlot(slots[(first + i) * 2 + 1] ?? 0));
      const scores = scorer.score(rows);
      for (let i = 0; i < lot; i++) {
        const slot = slots[(first + i) * 2 + 1] ?? 0;
        top.offer(sign * (scores[i] ?? 0) + (sparseScores?.[slot] ?? 0), slot);
      }
    }
    return isSure(top, heap) ? top : null;
  }

  /** Null when not all scores equal to the last were kept. */
  #bestSparse({ view: _, ...selection }: Selection, request: QueryRequest): TopHits | null {
    const { kernel } = this.#workspace;
    const { places, snapshot } = selection;
    if (request.sparse === null) throw new Error('a sparse search needs a sparse vector');
    this.#prepareSparse(places, request.sparse);
    kernel.resetHeap(places.heap, places.heapCapacity);
    for (const { address, bytesUsed } of snapshot.sparseFrames) {
      kernel.scanSparseFrame(
        { query: places.sparseQuery, frame: address, bytesUsed, bitmap: places.bitmap },
        places.heap,
      );
    }
    const heap = kernel.finishHeap(places.heap);
    const { keys, slots } = this.#heapEntries(places.heap, heap.count);
    const top = new TopHits(request.topK);
    for (let i = 0; i < heap.count; i++) top.offer(keys[i * 2] ?? 0, slots[i * 2 + 1] ?? 0);
    return isSure(top, heap) ? top : null;
  }

  #storeSparseScores({ places, snapshot }: Selection, sparse: SparseVector): void {
    const { kernel, arena } = this.#workspace;
    this.#prepareSparse(places, sparse);
    new Float32Array(arena.buffer, places.sparseScores, snapshot.slotCount).fill(0);
    for (const { address, bytesUsed } of snapshot.sparseFrames) {
      const scan = { query: places.sparseQuery, frame: address, bytesUsed, bitmap: places.bitmap };
      kernel.storeSparseScores(scan, places.sparseScores);
    }
  }

  #prepareSparse(places: Places, sparse: SparseVector): void {
    const { arena, kernel } = this.#workspace;
    const count = sparse.indices.length;
    const values = places.sparseTerms + count * 4;
    new Uint32Array(arena.buffer, places.sparseTerms, count).set(sparse.indices);
    new Float32Array(arena.buffer, values, count).set(sparse.values);
    kernel.prepareSparseQuery({ indices: places.sparseTerms, values, count }, places.sparseQuery);
  }

  /** Entry i: key at [2 i] of `keys`, slot at [2 i + 1] of `slots`. */
  #heapEntries(heap: number, count: number): { keys: Float32Array; slots: Uint32Array } {
    const { buffer } = this.#workspace.arena;
    const words = (count * HEAP_ENTRY_BYTES) / 4;
    return {
      keys: new Float32Array(buffer, heap + HEAP_HEADER_BYTES, words),
      slots: new Uint32Array(buffer, heap + HEAP_HEADER_BYTES, words),
    };
  }

  #hits(
    target: SearchTarget,
    selection: Selection,
    { found, topK }: { readonly found: TopHits; readonly topK: number },
  ): readonly Hit[] | null {
    const sign = this.#profile.metric === 'euclidean' ? -1 : 1;
    const entries = found.entries();
    const scores = new Map(entries.map(({ key, slot }) => [selection.view.rowOfSlot(slot), sign * key]));
    const slots = entries.map((entry) => entry.slot);
    const records = this.#records(target, selection, slots);
    if (records === null) return null;
    const hits = records.map((record) => ({ record, score: scores.get(record.row) ?? 0 }));
    return hits.sort(byScore(this.#profile.metric)).slice(0, topK);
  }

  /** The records of slots; null when one has changed since the snapshot. */
  #records(target: SearchTarget, selection: Selection, slots: readonly number[]): LocatedRecord[] | null {
    const { store } = this.#files;
    const records: LocatedRecord[] = [];
    for (const slot of slots) {
      const row = selection.view.rowOfSlot(slot);
      const body = store.record(target.spaceId, row);
      if (body === undefined || body.seq > selection.snapshot.seq) return null;
      records.push({ row, ...body });
    }
    return records;
  }
}

/** True when nothing that did not fit the heap can be among the best, or widening has come to its end. */
function isSure(top: TopHits, { offered, count, droppedBound }: HeapSummary): boolean {
  return offered === count || top.bound > droppedBound || count >= CANDIDATES_MAX;
}
