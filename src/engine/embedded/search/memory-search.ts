// Search of a namespace in shared memory: evaluates the filter to a bitmap, scans codes for upper bounds of the scores,
// and scores the best exactly until no other record can be among the results (branch and bound).
import type { Filter } from '../../../domain/filter/grammar.ts';
import { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import { bindQuery } from '../../../domain/full-text/scoring/bound-query.ts';
import { searchedTextsOf } from '../../../domain/full-text/searched-texts.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { rankingMetric } from '../../../domain/ranking-metric.ts';
import type { FieldCounts } from '../../../domain/records/value-counts.ts';
import { AnswerSize } from '../../port/answer-size.ts';
import type { MatchTargets, ValuesRequest } from '../../port/reader-and-writer.ts';
import type { RecordParts } from '../../port/record-codec.ts';
import { CodeSpace } from '../ann/code-space.ts';
import { setBits } from '../filters/bitmap.ts';
import type { EvaluateOptions } from '../filters/column-reader.ts';
import { longestList } from '../filters/longest-list.ts';
import type { RecordStore } from '../storage/record-store.ts';
import type { StoredBody } from '../storage/record-table.ts';
import { KnownExpansions } from '../text/accepted-terms.ts';
import { SegmentTerms } from '../text/segment-terms.ts';
import { DenseSearch } from './dense-search.ts';
import type { DirectSearch } from './direct-search.ts';
import { textQueriesIn } from './direct-texts.ts';
import { firstById, firstByNumber, type OrderedSlot } from './first-by-number.ts';
import { FoundPage } from './found-page.ts';
import { foundIn, topFound } from './found-slots.ts';
import { KernelCellTests } from './kernel-cell-tests.ts';
import type { LatestFiles, LatestStore } from './latest-store.ts';
import type { LoadedViews, Segment } from './loaded-views.ts';
import { SegmentsTerms } from './namespace-terms.ts';
import { requireTerms } from './required-terms.ts';
import { allocateLayout, type Needs, SLOTS_HEADROOM } from './search-layout.ts';
import type { SearchRequest } from './search-request.ts';
import {
  compareIds,
  type Hit,
  type NamespaceSearch,
  type PageRequest,
  type SearchTarget,
  sortHits,
} from './search-target.ts';
import { countAmong, countSelected, longestOf, narrowToAny } from './selected-values.ts';
import { Selection } from './selection.ts';
import { searchSparse } from './sparse-search.ts';
import { textTerms } from './text-needs.ts';
import { TextSearch } from './text-search.ts';
import { TopK } from './top-k.ts';

/** Upper bounds that a scan keeps: enough for nearly every query with a topK of 10 (docs/decisions/016-exact-search.md). */
const CANDIDATES_MIN = 96;
const CANDIDATES_PER_RESULT = 4;
/** Above this share of matches, reading ids in order finds a page sooner than collecting all matches. */
const ID_ORDER_SHARE_MIN = 0.05;

const NO_PARTS: RecordParts = { sparse: false, metadata: false };
const NO_INDICES = new Uint32Array(0);
/** What does not depend on the filter and the texts. */
type GivenNeeds = Omit<Needs, 'textTerms' | 'listValues'>;

const NO_NEEDS: GivenNeeds = {
  candidates: 0,
  dense: false,
  sparse: null,
  sparseResults: 0,
  textResults: 0,
  records: false,
};

export class MemorySearch implements NamespaceSearch {
  readonly #profile: IndexProfile;
  readonly #store: LatestStore;
  readonly #views: LoadedViews;
  readonly #direct: DirectSearch;
  readonly #dense: DenseSearch | null;
  /** Numbers of the text fields, by name. */
  readonly #textFields: ReadonlyMap<string, number>;
  readonly #expansions = new KnownExpansions();

  constructor(
    profile: IndexProfile,
    files: LatestFiles,
    parts: { readonly views: LoadedViews; readonly direct: DirectSearch },
  ) {
    this.#profile = profile;
    this.#store = files.store;
    this.#views = parts.views;
    this.#direct = parts.direct;
    this.#textFields = new Map(
      Array.from(searchedTextsOf(profile).keys(), (field, number) => [field, number] as const),
    );
    this.#dense = files.rows === null ? null : new DenseSearch(profile.metric, files.rows);
  }

  query(target: SearchTarget, request: SearchRequest): readonly Hit[] | null {
    const { sparse, requiredTerms = NO_INDICES, text = null } = request;
    const dense = request.values !== null;
    const needs = {
      ...{ dense, sparse, records: needsRecords(request) },
      candidates: dense ? Math.max(CANDIDATES_MIN, request.topK * CANDIDATES_PER_RESULT) : 0,
      sparseResults: dense ? 0 : request.topK,
      textResults: text === null ? 0 : request.topK,
    };
    const texts = text === null ? [] : [text];
    const selected = this.#select(target, { filter: request.filter, texts }, needs);
    if (selected === 'changed') return null;
    if (selected === 'no room') return this.#direct.query(target, request);
    const { selections } = selected;
    if (requiredTerms.length > 0) for (const selection of selections) requireTerms(selection, requiredTerms);
    if (request.explain) request.explain.matched = countSlots(selections);
    request.explain?.endStage('filter');
    // Dense searches find all records that they may; others need not.
    if (dense) this.#answerSize(request).check(Math.min(request.topK, countSlots(selections)));
    const top = new TopK(request.topK);
    this.#search(selected, request, top);
    return this.#hits({ target, selections, request }, top);
  }

  pageOf(target: SearchTarget, filter: Filter, page: PageRequest): FoundPage | null {
    const selected = this.#select(target, { filter, texts: [] }, { ...NO_NEEDS, records: true });
    if (selected === 'changed') return null;
    if (selected === 'no room') return this.#direct.pageOf(target, filter, page);
    const { selections } = selected;
    if (page.order !== undefined) {
      const readId = (selection: Selection, row: number) =>
        recordAt(this.#store.shown, { target, selection, row, parts: NO_PARTS })?.id ?? null;
      const ordered = { ...page, order: page.order, limit: page.limit + 1 };
      const first = firstByNumber(selections, ordered, readId);
      return first === null ? null : this.#read(target, first, page);
    }
    const slotCount = selections.reduce((sum, { snapshot }) => sum + snapshot.slotCount, 0);
    // A text query is not evaluated again record by record.
    const isCheap = textQueriesIn(filter).length === 0;
    if (isCheap && countSlots(selections) > slotCount * ID_ORDER_SHARE_MIN)
      return this.#direct.pageOf(target, filter, page);
    const first = this.#firstOf(target, selections, page);
    return first === null ? null : this.#read(target, first, page);
  }

  count(target: SearchTarget, filter: Filter | null, among: MatchTargets): number | null {
    const selected = this.#selectAmong(target, { filter, among }, NO_NEEDS);
    if (selected === 'changed') return null;
    if (selected === 'no room') return this.#direct.count(target, filter, among);
    const { selections, searchText } = selected;
    return selections.reduce((sum, selection) => {
      const matching = (query: TextQuery) => searchText(selection, query);
      return sum + countAmong(selection, among, matching);
    }, 0);
  }

  /** As `#select`, with what narrowing to targets needs. */
  #selectAmong(
    target: SearchTarget,
    { filter, among }: Pick<ValuesRequest, 'filter' | 'among'>,
    needs: GivenNeeds,
  ): Selected | 'changed' | 'no room' {
    const texts = among?.flatMap(({ text }) => text ?? []) ?? [];
    const sparse = longestOf(among?.flatMap((each) => each.sparse ?? []) ?? []);
    return this.#select(target, { filter, texts }, { ...needs, sparse });
  }

  countValues(target: SearchTarget, request: ValuesRequest): readonly FieldCounts[] | null {
    const { filter, among } = request;
    const selected = this.#selectAmong(target, { filter, among }, { ...NO_NEEDS, records: true });
    if (selected === 'changed') return null;
    if (selected === 'no room') return this.#direct.countValues(target, request);
    const { selections, searchText } = selected;
    if (among !== null)
      for (const selection of selections)
        narrowToAny(selection, among, (query) => searchText(selection, query).matching());
    return countSelected(selections, request.fields, ({ selection, row }) =>
      recordAt(this.#store.shown, { target, selection, row, parts: { sparse: false, metadata: true } }),
    );
  }

  /** Those of the page and the next one, in the order of their ids; null when one has changed since the snapshot. */
  #firstOf(
    target: SearchTarget,
    selections: readonly Selection[],
    { after, limit }: PageRequest,
  ): readonly OrderedSlot[] | null {
    const first = firstById(limit + 1);
    for (const selection of selections) {
      const slots = [...setBits(selection.bitmap, selection.words)];
      const ids = selection.view.idsOf(slots);
      for (const [i, row] of selection.view.rowsOf(slots).entries()) {
        const id = ids[i] ?? recordAt(this.#store.shown, { target, selection, row, parts: NO_PARTS })?.id;
        if (id === undefined) return null;
        if (after === null || compareIds(id, after) > 0) first.add({ id, row, selection });
      }
    }
    return first.finish();
  }

  /** The page of records at these slots, none of which is read beyond it; null when one has changed since the snapshot. */
  #read(target: SearchTarget, slots: readonly OrderedSlot[], page: PageRequest): FoundPage | null {
    const found = new FoundPage(page, this.#profile.dimension);
    for (const { row, selection } of slots) {
      const record = recordAt(this.#store.shown, { target, selection, row });
      if (record === null) return null;
      if (!found.add({ row, ...record })) break;
    }
    return found;
  }

  /** Offers the best of every segment to `top`. */
  #search({ namespaceId, selections, searchText }: Selected, request: SearchRequest, top: TopK): void {
    const { sparse, values, text, explain = null, counter = null } = request;
    if (counter !== null) counter.matched = text ? 0 : null;
    for (const selection of selections) {
      if (text) {
        if (explain !== null) explain.structure = 'text';
        const search = searchText(selection, text);
        search.search(top, explain, counter !== null);
        if (counter !== null) counter.matched = (counter.matched ?? 0) + search.count();
      } else if (values !== null && this.#dense !== null) {
        this.#dense.search(selection, { request, namespaceId }, top);
      } else {
        if (sparse === null) throw new Error('a search needs a vector of the index');
        if (explain !== null) explain.structure = 'postings';
        searchSparse(selection, sparse, top);
      }
    }
  }

  /** Takes a snapshot of the namespace, and narrows its live slots to those that match. */
  #select(
    target: SearchTarget,
    { filter, texts: searched }: { readonly filter: Filter | null; readonly texts: readonly TextQuery[] },
    given: GivenNeeds,
  ): Selected | 'changed' | 'no room' {
    const texts = [...textQueriesIn(filter), ...searched];
    const listValues = filter === null ? 0 : longestList(filter);
    const needs = { ...given, textTerms: textTerms(texts), listValues };
    this.#views.catchUp();
    const segments = this.#views.get(target.namespaceId);
    if (segments === null || segments === 'tooLarge') return 'changed';
    const selections: Selection[] = [];
    for (let number = 0; number < segments.length; number++) {
      const selection = this.#snapshot(segments, number, needs);
      if (selection === 'changed' || selection === 'no room') return selection;
      selections.push(selection);
    }
    const steps = new QuerySteps();
    const terms = new SegmentsTerms(selections, {
      ...{ fields: this.#textFields, steps },
      expansions: this.#expansions,
    });
    const bound = new Map(texts.map((query) => [query, bindQuery(query, terms)] as const));
    const fields = this.#textFields;
    const found = selections.map(
      ({ view, segment }) =>
        new Map(
          Array.from(bound, ([query, each]) => {
            const numbers = each.terms.map((key) => terms.numbersOf(key)[segment] ?? null);
            return [query, new SegmentTerms(view.texts, numbers)];
          }),
        ),
    );
    // Statistics and posting lists of texts are those of the snapshots if these are still current now.
    // Columns are known up to the last catch-up; reading these snapshots correctly may take a newer structure.
    const isConsistent = selections.every(({ view, snapshot }) => view.isStill(snapshot));
    if (!isConsistent || !this.#views.isCurrent()) return 'changed';
    // Starts to read records right after the memory's snapshot, so that a long scan gives writes no time to separate
    // the two. Never before it: the records could be older than the memory, unnoticed.
    if (needs.records) this.#store.hold();
    segments[0]?.view.noteUse();
    const searchText = (selection: Selection, query: TextQuery): TextSearch => {
      const known = bound.get(query);
      const terms = found[selection.segment]?.get(query);
      if (known === undefined || terms === undefined) throw new Error('a text query is not bound');
      return new TextSearch({ selection, bound: known, terms, fields, steps });
    };
    if (filter !== null)
      for (const selection of selections)
        narrow(selection, filter, {
          filterable: target.filterable,
          matchText: (query) => searchText(selection, query).matching(),
        });
    return { namespaceId: target.namespaceId, selections, searchText };
  }

  #snapshot(all: readonly Segment[], segment: number, needs: Needs): Selection | 'changed' | 'no room' {
    const part = all[segment];
    if (part === undefined) throw new Error(`there is no segment ${segment}`);
    const { view, workspace } = part;
    const dimension = this.#profile.dimension ?? 0;
    const slots = view.slotCount + SLOTS_HEADROOM;
    const layout = allocateLayout(workspace.scratch, needs, {
      ...{ slots, dimension, hasGraph: view.hasGraph },
      textTableBytes: view.textTableBytes,
    });
    if (layout === null) return 'no room';
    const bitmapWords = Math.ceil(slots / 32);
    const bitmap = new Uint32Array(
      workspace.arena.bufferOf(layout.bitmap + 4 * bitmapWords),
      layout.bitmap,
      bitmapWords,
    );
    const snapshot = view.snapshot(bitmap);
    if (snapshot === null) return 'changed';
    return new Selection({ segment, segments: all.length, workspace, view, snapshot, layout }, bitmap);
  }

  #answerSize(request: SearchRequest): AnswerSize {
    return new AnswerSize(request, this.#profile.dimension);
  }

  /** Best first; null when a record has changed since the snapshot. @throws response-too-big */
  #hits({ target, selections, request }: Searched, top: TopK): readonly Hit[] | null {
    const metric = rankingMetric(this.#profile, request);
    // That of the first is that of all.
    const space = new CodeSpace(metric, selections[0]?.view.origin ?? null);
    const parts = { sparse: request.includeValues, metadata: request.includeMetadata };
    const isIdEnough = !needsRecords(request);
    // Where no records were needed, the store is first read now, for an id too long to be in memory.
    const store = isIdEnough ? this.#store.now : this.#store.shown;
    const found = selections.flatMap((selection) => foundIn(selection, top, isIdEnough));
    const hits: Hit[] = [];
    const size = this.#answerSize(request);
    // Records that lie together are read together.
    const best = topFound(found, top.capacity);
    for (const { selection, row, key, id } of isIdEnough ? best : best.toSorted((a, b) => a.row - b.row)) {
      const record =
        id === null || !isIdEnough
          ? recordAt(store, { target, selection, row, parts })
          : { id, sparse: null, metadataJson: null };
      if (record === null) return null;
      size.add(record.id, record.metadataJson);
      hits.push({ record, row, score: space.scoreOf(key) });
    }
    return sortHits(hits, metric).slice(0, top.capacity);
  }
}

/** The slots of a namespace that a search may find, and the text queries bound to its terms. */
interface Selected {
  readonly namespaceId: number;
  readonly selections: readonly Selection[];
  /** Opens a search of a segment by one of the queries. */
  readonly searchText: (selection: Selection, query: TextQuery) => TextSearch;
}

interface Searched {
  readonly target: SearchTarget;
  readonly selections: readonly Selection[];
  readonly request: SearchRequest;
}

/** False where ids suffice, which are in memory. */
function needsRecords({ includeValues, includeMetadata }: SearchRequest): boolean {
  return includeValues || includeMetadata;
}

interface RecordLocation {
  readonly target: SearchTarget;
  readonly selection: Selection;
  readonly row: number;
  /** Default all. */
  readonly parts?: RecordParts;
}

/** The record that a snapshot has at a row; null when it has changed since. */
function recordAt(store: RecordStore, { target, selection, row, parts }: RecordLocation): StoredBody | null {
  const record = store.records.get(target.namespaceId, row, parts);
  return record === undefined || record.seq > selection.snapshot.seq ? null : record;
}

/** Keeps only the slots that match. */
function narrow(
  selection: Selection,
  filter: Filter,
  options: Pick<EvaluateOptions, 'filterable' | 'matchText'>,
): void {
  const { view, snapshot } = selection;
  const cellTests = new KernelCellTests(selection);
  const matching = (part: Filter) =>
    view.columns.matches(part, { ...options, cellTests, slotCount: snapshot.slotCount });
  const [live, ...rest] = filter.kind === 'all' ? filter.parts : [filter];
  if (live?.kind !== 'live') {
    selection.narrow(matching(filter));
    return;
  }
  // Apart, so that the caller's filter stays cached while the moment moves on.
  selection.keepLive(matching(live));
  const [only] = rest;
  if (only !== undefined) selection.narrow(matching(rest.length === 1 ? only : { kind: 'all', parts: rest }));
}

function countSlots(selections: readonly Selection[]): number {
  return selections.reduce((sum, selection) => sum + selection.count(), 0);
}
