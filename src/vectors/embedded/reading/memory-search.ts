// Search of a namespace in shared memory: filter to a bitmap, scan of the codes for upper bounds of the scores, exact
// scores of the best, until no unscored record can be among the results (branch and bound).
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { QueryRequest } from '../../port.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import type { LocatedRecord } from '../storage/record-store.ts';
import { SEQ } from '../writing/write-transaction.ts';
import { countBits, intersect, setBits } from './bitmap.ts';
import { DenseSearch } from './dense-search.ts';
import type { DirectSearch } from './direct-search.ts';
import { narrowToHolders } from './holders.ts';
import type { LoadedViews, Segment } from './loaded-views.ts';
import { type Needs, planPlaces, SLOTS_HEADROOM } from './search-places.ts';
import { byScore, compareIds, type Hit, type NamespaceSearch, type SearchTarget } from './search-target.ts';
import { globalSlot, type Selection, splitSlot } from './selection.ts';
import { searchSparse } from './sparse-search.ts';
import { TopHits } from './top-hits.ts';

/** Upper bounds kept in the first scan: enough for nearly every query of topK 10 (docs/decisions). */
const CANDIDATES_MIN = 256;
const CANDIDATES_PER_RESULT = 4;
/** How much wider each further scan is. */
const WIDEN_BY = 8;
/** Above this share of matches, walking ids in order finds a page sooner than collecting all matches. */
const WALK_SHARE_MIN = 0.05;

const NO_INDICES = new Uint32Array(0);
const NO_NEEDS: Needs = { candidates: 0, dense: false, sparse: null, sparseResults: 0 };

export class MemorySearch implements NamespaceSearch {
  readonly #profile: IndexProfile;
  readonly #files: IndexFiles;
  readonly #views: LoadedViews;
  readonly #direct: DirectSearch;
  readonly #dense: DenseSearch | null;

  constructor(
    profile: IndexProfile,
    files: IndexFiles,
    parts: { readonly views: LoadedViews; readonly direct: DirectSearch },
  ) {
    this.#profile = profile;
    this.#files = files;
    this.#views = parts.views;
    this.#direct = parts.direct;
    this.#dense = files.rowFile === null ? null : new DenseSearch(profile.metric, files.rowFile);
  }

  query(target: SearchTarget, request: QueryRequest): readonly Hit[] | null {
    const { sparse, holding = NO_INDICES } = request;
    const dense = request.values !== null;
    let candidates = dense ? Math.max(CANDIDATES_MIN, request.topK * CANDIDATES_PER_RESULT) : 0;
    const sparseResults = sparse === null || dense ? 0 : request.topK;
    for (;;) {
      const matching = this.#select(target, request.filter, { candidates, dense, sparse, sparseResults });
      if (matching === 'changed') return null;
      if (matching === 'no room') return this.#direct.query(target, request);
      const selections =
        holding.length === 0 ? matching : matching.map((each) => narrowToHolders(each, holding));
      if (request.explain) request.explain.matched = countSlots(selections);
      request.explain?.endStage('filter');
      const top = new TopHits(request.topK);
      if (this.#search(selections, request, top)) return this.#hits(target, selections, top);
      candidates *= WIDEN_BY;
    }
  }

  firstMatching(
    target: SearchTarget,
    filter: Filter,
    page: { readonly after: string | null; readonly limit: number },
  ): readonly LocatedRecord[] | null {
    const selections = this.#select(target, filter, NO_NEEDS);
    if (selections === 'changed') return null;
    if (selections === 'no room') return this.#direct.firstMatching(target, filter, page);
    const slotCount = selections.reduce((sum, { snapshot }) => sum + snapshot.slotCount, 0);
    if (countSlots(selections) > slotCount * WALK_SHARE_MIN)
      return this.#direct.firstMatching(target, filter, page);
    const slots = selections.flatMap((each) =>
      [...setBits(each.bitmap, each.words)].map((slot) => globalSlot(each, slot)),
    );
    const records = this.#records(target, selections, slots);
    if (records === null) return null;
    const rest = records.filter((record) => page.after === null || compareIds(record.id, page.after) > 0);
    return rest.sort((a, b) => compareIds(a.id, b.id)).slice(0, page.limit);
  }

  count(target: SearchTarget, filter: Filter): number | null {
    const selections = this.#select(target, filter, NO_NEEDS);
    if (selections === 'changed') return null;
    if (selections === 'no room') return this.#direct.count(target, filter);
    return countSlots(selections);
  }

  /** Offers the best of every segment to `top`. @returns false when more candidates have to be kept */
  #search(selections: readonly Selection[], request: QueryRequest, top: TopHits): boolean {
    const { sparse, values } = request;
    return selections.every((selection) => {
      if (values !== null && this.#dense !== null) return this.#dense.search(selection, request, top);
      if (sparse === null) throw new Error('a search needs a vector of the index');
      if (request.explain) request.explain.structure = 'postings';
      searchSparse(selection, sparse, top);
      return true;
    });
  }

  /** Takes a snapshot of the namespace and narrows its live slots to those that match. */
  #select(
    target: SearchTarget,
    filter: Filter | null,
    needs: Needs,
  ): readonly Selection[] | 'changed' | 'no room' {
    this.#views.catchUp();
    const segments = this.#views.get(target.spaceId);
    if (segments === null || segments === 'tooLarge') return 'changed';
    const selections: Selection[] = [];
    for (const number of segments.keys()) {
      const selection = this.#snapshot(segments, number, needs);
      if (selection === 'changed' || selection === 'no room') return selection;
      selections.push(selection);
    }
    // Columns are known up to the last catch-up: a newer structure may be needed to read these snapshots right.
    const isConsistent = selections.every(({ view, snapshot }) => view.isStill(snapshot));
    if (!isConsistent || !this.#views.isCurrent()) return 'changed';
    this.#openRecords();
    segments[0]?.view.noteUse(Math.floor(Date.now() / 1000));
    if (filter === null) return selections;
    return selections.map((selection) => narrow(selection, filter, target.filterable));
  }

  #snapshot(all: readonly Segment[], segment: number, needs: Needs): Selection | 'changed' | 'no room' {
    const part = all[segment];
    if (part === undefined) throw new Error(`there is no segment ${segment}`);
    const { view, workspace } = part;
    const dimension = this.#profile.dimension ?? 0;
    const slots = view.slotCount + SLOTS_HEADROOM;
    const places = planPlaces(workspace.scratch, needs, { slots, dimension, hasGraph: view.hasGraph });
    if (places === null) return 'no room';
    const bitmap = new Uint32Array(workspace.arena.buffer, places.bitmap, Math.ceil(slots / 32));
    const snapshot = view.snapshot(bitmap);
    if (snapshot === null) return 'changed';
    const words = Math.ceil(snapshot.slotCount / 32);
    const segments = all.length;
    return { segment, segments, workspace, view, snapshot, bitmap, words, places, isFiltered: false };
  }

  /**
   * Begins to read records right after the memory's snapshot, so that a long scan gives writes no time to part the
   * two. Never before it: the records could then be older than the memory, unnoticed.
   */
  #openRecords(): void {
    this.#files.store.refresh();
    this.#files.store.getNumber(SEQ);
  }

  #hits(target: SearchTarget, selections: readonly Selection[], top: TopHits): readonly Hit[] | null {
    const sign = this.#profile.metric === 'euclidean' ? -1 : 1;
    const entries = top.entries();
    const slots = entries.map(({ slot }) => slot);
    const records = this.#records(target, selections, slots);
    if (records === null) return null;
    const hits = records.map((record, i) => ({ record, score: sign * (entries[i]?.key ?? 0) }));
    return hits.sort(byScore(this.#profile.metric)).slice(0, top.capacity);
  }

  /** The records of slots (of all segments); null when one has changed since the snapshot. */
  #records(
    { spaceId }: SearchTarget,
    selections: readonly Selection[],
    slots: readonly number[],
  ): LocatedRecord[] | null {
    const { store } = this.#files;
    const records: LocatedRecord[] = [];
    for (const global of slots) {
      const { segment, slot } = splitSlot(global);
      const selection = selections[segment];
      if (selection === undefined) throw new Error(`there is no segment ${segment}`);
      const row = selection.view.rowOfSlot(slot);
      const body = store.record(spaceId, row);
      if (body === undefined || body.seq > selection.snapshot.seq) return null;
      records.push({ row, ...body });
    }
    return records;
  }
}

/** Keeps only the slots that match. */
function narrow(selection: Selection, filter: Filter, filterable: readonly string[] | null): Selection {
  const { view, snapshot, bitmap, words } = selection;
  intersect(bitmap, view.columns.matches(filter, { slotCount: snapshot.slotCount, filterable }), words);
  return { ...selection, isFiltered: true };
}

function countSlots(selections: readonly Selection[]): number {
  return selections.reduce((sum, { bitmap, words }) => sum + countBits(bitmap, words), 0);
}
