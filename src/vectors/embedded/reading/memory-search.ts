// Search of a namespace in shared memory: filter to a bitmap, scan of the codes for upper bounds of the scores, exact
// scores of the best, until no unscored record can be among the results (branch and bound).
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { QueryRequest, SparseVector } from '../../port.ts';
import type { HeapSummary } from '../kernels/kernel.ts';
import { HEAP_ENTRY_BYTES, HEAP_HEADER_BYTES, heapBytes, SPARSE_QUERY_BYTES } from '../kernels/layout.ts';
import type { NamespaceView, Snapshot } from '../memory/namespace-view.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import type { LocatedRecord } from '../storage/record-store.ts';
import { countBits, intersect, setBits } from './bitmap.ts';
import type { DirectSearch } from './direct-search.ts';
import type { LoadedViews } from './loaded-views.ts';
import { planRowScorer, ROWS_A_LOT, RowScorer, type RowScorerPlaces } from './row-scorer.ts';
import { byScore, compareIds, type Hit, type NamespaceSearch, type SearchTarget } from './search-target.ts';
import { TopHits } from './top-hits.ts';
import { Layout, type Workspace } from './workspace.ts';

/** Upper bounds kept in the first scan: enough for nearly every query of topK 10 (docs/decisions). */
const CANDIDATES_MIN = 256;
const CANDIDATES_PER_RESULT = 4;
/** How much wider each further scan is. */
const WIDEN_BY = 8;
/** Where widening ends: beyond, only near-duplicates of the results are left to compare. */
const CANDIDATES_MAX = 65_536;
/** Equal scores at the end of a sparse result among which ids decide. */
const SPARSE_TIES_MAX = 1_000;
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

interface Places {
  readonly bitmap: number;
  readonly heap: number;
  readonly heapCapacity: number;
  readonly rowScorer: RowScorerPlaces | null;
  readonly sparseQuery: number;
  readonly sparseTerms: number;
  readonly sparseScores: number;
}

type Needs = { readonly candidates: number; readonly dense: boolean; readonly sparse: SparseVector | null };

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
      : request.topK + SPARSE_TIES_MAX;
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
    const places = this.#plan(view.slotCount + SLOTS_HEADROOM, needs);
    if (places === null) return 'no room';
    const bitmap = new Uint32Array(
      this.#workspace.arena.buffer,
      places.bitmap,
      Math.ceil((view.slotCount + SLOTS_HEADROOM) / 32),
    );
    const snapshot = view.snapshot(bitmap);
    // Columns are known up to the last catch-up: a newer structure may be needed to read this snapshot right.
    if (snapshot === null || !this.#views.isCurrent()) return 'changed';
    const words = Math.ceil(snapshot.slotCount / 32);
    if (filter !== null) {
      const { filterable } = target;
      const matching = view.columns.evaluate(filter, { slotCount: snapshot.slotCount, filterable });
      intersect(bitmap, matching, words);
      view.columns.release(matching);
    }
    return { view, snapshot, bitmap, words, places };
  }

  #plan(slots: number, needs: Needs): Places | null {
    const dimension = this.#profile.dimension ?? 0;
    const entries = needs.sparse?.indices.length ?? 0;
    const isHybrid = needs.dense && needs.sparse !== null;
    const heapCapacity = Math.min(Math.max(needs.candidates, 1), slots);
    const layout = new Layout();
    const bitmap = layout.add(Math.ceil(slots / 32) * 4);
    const heap = layout.add(heapBytes(heapCapacity));
    const rowScorer = needs.dense ? planRowScorer(layout, dimension) : null;
    const sparseQuery = layout.add(needs.sparse === null ? 0 : SPARSE_QUERY_BYTES);
    const sparseTerms = layout.add(entries * 8);
    const sparseScores = layout.add(isHybrid ? slots * 4 : 0);
    const start = this.#workspace.scratch.area(layout.bytes);
    if (start === null) return null;
    return {
      bitmap: start + bitmap,
      heap: start + heap,
      heapCapacity,
      rowScorer: rowScorer && {
        query: start + rowScorer.query,
        source: start + rowScorer.source,
        rows: start + rowScorer.rows,
        scores: start + rowScorer.scores,
      },
      sparseQuery: start + sparseQuery,
      sparseTerms: start + sparseTerms,
      sparseScores: isHybrid ? start + sparseScores : 0,
    };
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
    const isSure = heap.offered === heap.count || top.bound > heap.droppedBound;
    return isSure || heap.count >= CANDIDATES_MAX ? top : null;
  }

  #bestSparse({ view: _, ...selection }: Selection, request: QueryRequest): TopHits {
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
    const { count } = kernel.finishHeap(places.heap);
    const { keys, slots } = this.#heapEntries(places.heap, count);
    const top = new TopHits(request.topK);
    for (let i = 0; i < count; i++) top.offer(keys[i * 2] ?? 0, slots[i * 2 + 1] ?? 0);
    return top;
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
    store.refresh();
    const records: LocatedRecord[] = [];
    for (const slot of slots) {
      const row = selection.view.rowOfSlot(slot);
      const body = store.record(target.spaceId, row);
      const isChanged = body === undefined || body.seq > selection.snapshot.seq;
      if (isChanged && !target.isLastTry) return null;
      if (body !== undefined) records.push({ row, ...body });
    }
    return records;
  }
}
