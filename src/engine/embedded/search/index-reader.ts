// Reads of one index in one reader thread: ids and records from LMDB; search in shared memory, or of the records on
// disk where a namespace is small.
import { fault } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { QueryExplain } from '../../../domain/query-explain.ts';
import { type FieldCounts, ValueCounts } from '../../../domain/records/value-counts.ts';
import type { Moment } from '../../port/past-reads.ts';
import { queryAndCount } from '../../port/query-and-count.ts';
import type {
  CountedMatches,
  ExplainedMatches,
  FilteredRequest,
  ListPage,
  Lsn,
  Match,
  MatchTargets,
  QueryRequest,
  StoredRecord,
  ValuesRequest,
  VectorReader,
} from '../../port/reader-and-writer.ts';
import { CommitCount } from '../memory/commit-count.ts';
import { type NamespacePart, VisibleRecords } from '../storage/branches/visible-records.ts';
import { CheckedRows } from '../storage/checked-rows.ts';
import { closeFiles, type IndexFiles } from '../storage/index-files.ts';
import { type NamespaceRow, shownBy } from '../storage/namespace-table.ts';
import { type HistoryClock, seqOfMoment } from './as-of/moments.ts';
import { canUsePresent } from './as-of/overlaid-search.ts';
import { PastReader } from './as-of/past-reader.ts';
import { BranchSearch, ownRow } from './branches/branch-search.ts';
import { fetchRecords } from './fetch-records.ts';
import { FoundPage, storedOf } from './found-page.ts';
import { matchesOf } from './found-records.ts';
import { HeldScans } from './held-scans.ts';
import { type LatestFiles, LatestStore } from './latest-store.ts';
import { LoadedViews, type ViewSource } from './loaded-views.ts';
import { filterableFields, matchingRecords, textFieldNames } from './namespace-filter.ts';
import { askQuery, type Work } from './namespace-work.ts';
import { type ReaderContext, whilePinned } from './reader-context.ts';
import { SearchDispatch } from './search-dispatch.ts';
import { type MatchCounter, type SearchRequest, scoredRequest } from './search-request.ts';
import type { Hit, SearchTarget } from './search-target.ts';
import { StoredNamespaces } from './stored-namespaces.ts';

/**
 * Up to this size a namespace is searched on disk: it takes no memory, and about 0.6 ms
 * (docs/decisions/012-shared-memory.md).
 */
export const DIRECT_RECORDS_MAX = 300;

export interface IndexReaderOptions extends Omit<ViewSource, 'dimension'> {
  readonly context: ReaderContext;
  readonly files: IndexFiles;
  /** A CommitCount, which the index's writer raises. */
  readonly commits: SharedArrayBuffer;
  /** Default DIRECT_RECORDS_MAX. */
  readonly directRecordsMax?: number;
  /** As of SearchDispatch. */
  readonly scannedAtOnceMax?: number;
  /** Default all that is there, by the system's clock. */
  readonly history?: HistoryClock;
}

export class IndexReader extends StoredNamespaces implements VectorReader {
  readonly #profile: IndexProfile;
  readonly #context: ReaderContext;
  readonly #files: LatestFiles;
  readonly #close: () => Promise<void>;
  /** Deltas of the index's writer are applied here. */
  readonly views: LoadedViews;
  readonly #directRecordsMax: number;
  readonly #search: SearchDispatch;
  readonly #branches: BranchSearch;
  readonly #scans: HeldScans;
  readonly #history: HistoryClock;
  #isClosed = false;

  constructor(profile: IndexProfile, options: IndexReaderOptions) {
    super(profile);
    this.#profile = profile;
    this.#context = options.context;
    const { rowFile, store } = options.files;
    const latest = new LatestStore(store, new CommitCount(options.commits));
    this.#files = {
      rows: rowFile === null ? null : new CheckedRows(rowFile, latest, profile.dimension ?? 0),
      store: latest,
    };
    this.#close = () => closeFiles(options.files);
    this.#directRecordsMax = options.directRecordsMax ?? DIRECT_RECORDS_MAX;
    this.#history = options.history ?? { msMax: Number.POSITIVE_INFINITY, now: Date.now };
    this.views = new LoadedViews({ ...options, dimension: profile.dimension });
    this.#scans = new HeldScans({ context: options.context, store: () => this.store() });
    this.#search = new SearchDispatch({
      ...{ profile, context: options.context, files: this.#files, views: this.views, scans: this.#scans },
      namespace: (name) => this.#namespace(name),
      directRecordsMax: this.#directRecordsMax,
      scannedAtOnceMax: options.scannedAtOnceMax,
    });
    this.#branches = new BranchSearch({
      ...{ profile, files: this.#files, workspace: options.context.workspace },
      searchPart: (part, request) => this.#searchPart(part, request),
      pinned: (work) => whilePinned(options.context, work),
    });
  }

  /** Requests under way end with the fault index-not-found. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.views.close(this.#profile.name);
    await this.#scans.ended();
    await this.#close();
  }

  lsn(): Lsn {
    return this.store().lsn;
  }

  /** As `ReadAsOf` of the port. */
  asOf(moment: Moment): VectorReader {
    const seq = seqOfMoment(this.store().now, moment, this.#history);
    const parts = {
      profile: this.#profile,
      store: () => this.store(),
      rows: this.#files.rows,
      context: this.#context,
      workspace: this.#context.workspace,
      present: this,
      scans: this.#scans,
      directRecordsMax: this.#directRecordsMax,
    };
    return new PastReader(parts, seq);
  }

  async query(given: QueryRequest): Promise<readonly Match[]> {
    const request = scoredRequest(this.#profile, given);
    const row = this.#namespace(request.namespace);
    const shared = row?.inherited === undefined ? null : await this.#queryBranch(row, request);
    return shared === null ? this.#query(request) : shared.matches;
  }

  async explainQuery(given: QueryRequest): Promise<ExplainedMatches> {
    const request = scoredRequest(this.#profile, given);
    const row = this.#namespace(request.namespace);
    const shared = row?.inherited === undefined ? null : await this.#queryBranch(row, request);
    if (shared !== null) return shared;
    const explain = new QueryExplain(request.recall);
    const matches = await this.#query({ ...request, explain });
    return { matches, explanation: explain.finish() };
  }

  async countedQuery(given: QueryRequest): Promise<CountedMatches> {
    const request = scoredRequest(this.#profile, given);
    // By words, a search in memory knows, and one on disk looks at all records; so does one of a branch.
    if (!request.text) return queryAndCount(this, request);
    const counter: MatchCounter = { matched: null };
    const matches = await this.#query({ ...request, counter });
    return { matches, matched: counter.matched ?? 0 };
  }

  /** Null for a branch that is searched on disk. */
  async #queryBranch(row: NamespaceRow, request: QueryRequest): Promise<ExplainedMatches | null> {
    if (shownBy(row).records <= this.#directRecordsMax || !canUsePresent(request)) return null;
    const target = this.#search.targetOf(row);
    return this.#branches.query(request.namespace, target, {
      request,
      use: ({ hits, explanation }) => ({
        matches: matchesOf(hits, request, this.#search.foundIn(target)),
        explanation,
      }),
    });
  }

  /** As `searchPart` of BranchSearch. */
  async #searchPart(part: NamespacePart, request: QueryRequest): Promise<ExplainedMatches | null> {
    const { name } = part;
    if (name === null) return null;
    const explain = new QueryExplain();
    const searched = { name, pick: (row: NamespaceRow) => ownRow(row, part) };
    const matches = await this.#search.run(searched, {
      ask: askQuery({ ...request, explain }),
      finish: (hits) => {
        explain.endStage('search');
        return hits.map(({ record: { id }, score }) => ({ id, score }));
      },
    });
    return matches === null ? null : { matches, explanation: explain.finish() };
  }

  async #query(request: SearchRequest): Promise<readonly Match[]> {
    const { explain } = request;
    const work: Work<readonly Hit[], readonly Match[]> = {
      ask: askQuery(request),
      finish: (hits, foundIn) => {
        explain?.endStage('search');
        return matchesOf(hits, request, foundIn);
      },
    };
    // Nearly all queries can be answered at once; awaiting what is there would cost as much as parts of the search.
    const row = this.#namespace(request.namespace);
    const first = row === null ? [] : this.#search.runAtOnce(row, work);
    const answer = first ?? (await this.#search.run({ name: request.namespace }, work)) ?? [];
    explain?.endStage('fetch');
    return answer;
  }

  async fetch(
    namespace: string,
    ids: readonly string[],
    filter: Filter | null = null,
  ): Promise<readonly StoredRecord[]> {
    return whilePinned(this.#context, () => {
      const space = this.#namespace(namespace);
      if (space === null) return [];
      const scope = { profile: this.#profile, filterable: filterableFields(this.#profile, space) };
      return matchingRecords(this.#recordsOf(space, ids), filter, scope);
    });
  }

  #recordsOf(space: NamespaceRow, ids: readonly string[]): readonly StoredRecord[] {
    if (space.inherited !== undefined) {
      const visible = this.#visibleIn(space);
      return ids.flatMap((id) => this.#recordOf(visible, space, id) ?? []);
    }
    const { namespaceId } = space;
    const rows = this.#files.rows?.of(namespaceId) ?? null;
    return fetchRecords({ records: this.#files.store.shown.records, namespaceId, rows }, ids);
  }

  async fetchByFilter(request: FilteredRequest): Promise<ListPage<StoredRecord>> {
    const texts = textFieldNames(this.#profile);
    const { order } = request;
    const page = await this.#search.run<FoundPage, ListPage<StoredRecord>>(
      { name: request.namespace },
      {
        ask: (search, target) => {
          const isOrdered =
            order === undefined || (!texts.has(order.field) && isFilterable(target, order.field));
          if (!isOrdered) return new FoundPage(request, this.#profile.dimension);
          return search.pageOf(target, request.filter, request);
        },
        finish: (found, { rows }) => found.read(rows),
      },
    );
    return page ?? { items: [], next: null };
  }

  async count(namespace: string, filter: Filter | null, among: MatchTargets = null): Promise<number> {
    const counted = await this.#search.run<number, number>(
      { name: namespace },
      { ask: (search, target) => search.count(target, filter, among), finish: (count) => count },
    );
    return counted ?? 0;
  }

  async countValues(request: ValuesRequest): Promise<readonly FieldCounts[]> {
    const texts = textFieldNames(this.#profile);
    const counted = await this.#search.run<readonly FieldCounts[], readonly FieldCounts[]>(
      { name: request.namespace },
      {
        ask: (search, target) => {
          const fields = request.fields.filter(
            ({ field }) => !texts.has(field) && isFilterable(target, field),
          );
          return search.countValues(target, { ...request, fields });
        },
        finish: (counts) => counts,
      },
    );
    return request.fields.map(
      ({ field }) => counted?.find((each) => each.field === field) ?? new ValueCounts(field).top(0),
    );
  }

  async listIds(request: {
    readonly namespace: string;
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<string>> {
    const space = this.#namespace(request.namespace);
    if (space === null) return { items: [], next: null };
    const ids: string[] = [];
    for (const { id } of this.#visibleIn(space).listIds(space.namespaceId, request)) {
      if (ids.length === request.limit) return { items: ids, next: ids.at(-1) ?? null };
      ids.push(id);
    }
    return { items: ids, next: null };
  }

  #namespace(name: string): NamespaceRow | null {
    return this.store().namespace(name);
  }

  /** @throws index-not-found */
  protected store(): LatestStore {
    if (this.#isClosed) throw fault('index-not-found', { name: this.#profile.name });
    return this.#files.store;
  }

  /** What a namespace shows; a branch in one state of the store until the event loop turns. */
  #visibleIn({ inherited }: NamespaceRow): VisibleRecords {
    const { store } = this.#files;
    if (inherited !== undefined) store.hold();
    return new VisibleRecords(store.shown);
  }

  #recordOf(visible: VisibleRecords, { namespaceId }: NamespaceRow, id: string): StoredRecord | null {
    const record = visible.get(namespaceId, id);
    return record === undefined ? null : storedOf(record, this.#files.rows?.of(record.owner) ?? null);
  }
}

function isFilterable({ filterable }: SearchTarget, field: string): boolean {
  return filterable?.includes(field) ?? true;
}
