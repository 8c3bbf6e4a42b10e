// Reads of an index as it was after an earlier write. Searches by vectors go through memory as it is now where they can:
// what was written since drops out, and the former records of that are scored beside it. All other reads look at the
// records on disk.
import type { Filter } from '../../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../../domain/index-model.ts';
import { QueryExplain } from '../../../../domain/query-explain.ts';
import { type FieldCounts, ValueCounts } from '../../../../domain/records/value-counts.ts';
import { scoresSparse } from '../../../../domain/records/vector-record.ts';
import type {
  ExplainedMatches,
  FilteredRequest,
  ListPage,
  Match,
  NamespaceRecords,
  NamespaceSummary,
  QueryRequest,
  StoredRecord,
  ValuesRequest,
  VectorReader,
} from '../../../port/reader-and-writer.ts';
import { VisibleRecords } from '../../storage/branches/visible-records.ts';
import type { CheckedRows } from '../../storage/checked-rows.ts';
import { type NamespaceRow, shownBy } from '../../storage/namespace-table.ts';
import type { RecordStore } from '../../storage/record-store.ts';
import { DirectSearch } from '../direct-search.ts';
import { matchesOf, pageOfFound, storedOf } from '../found-records.ts';
import type { LatestStore } from '../latest-store.ts';
import { filterableFields, matchingRecords, textFieldNames } from '../namespace-filter.ts';
import { type ReaderContext, whilePinned } from '../reader-context.ts';
import type { SearchTarget } from '../search-target.ts';
import type { Workspace } from '../workspace.ts';
import { checkReached } from './moments.ts';
import { canUsePresent, overlaidHits, type PresentMatches, presentRequests } from './overlaid-search.ts';
import { pastNamespace, pastNamespaces, pastSummary } from './past-namespaces.ts';
import { PastRecords, type PastState } from './past-records.ts';

export interface PastReaderParts {
  readonly profile: IndexProfile;
  /** @throws index-not-found once it is closed */
  readonly store: () => LatestStore;
  /** Null on sparse indexes. */
  readonly rows: CheckedRows | null;
  readonly context: Pick<ReaderContext, 'reader' | 'epochs'>;
  readonly workspace: Workspace;
  /** The index as it is, for namespaces with more records than `directRecordsMax`. */
  readonly present: Pick<VectorReader, 'explainQuery'>;
  readonly directRecordsMax: number;
}

/** One state of the files, and what was in it then. */
interface Past extends PastState {
  readonly records: PastRecords;
  readonly search: DirectSearch;
}

/** A namespace of the past. */
interface PastTarget extends SearchTarget {
  readonly row: NamespaceRow;
}

export class PastReader implements VectorReader {
  readonly #parts: PastReaderParts;
  readonly #seq: number;

  /** @param seq the write whose state to read; the history reaches it */
  constructor(parts: PastReaderParts, seq: number) {
    this.#parts = parts;
    this.#seq = seq;
  }

  lsn(): number {
    return this.#seq;
  }

  async query(request: QueryRequest): Promise<readonly Match[]> {
    return (await this.explainQuery(request)).matches;
  }

  async explainQuery(given: QueryRequest): Promise<ExplainedMatches> {
    const { profile } = this.#parts;
    const request = given.values === null || scoresSparse(profile) ? given : { ...given, sparse: null };
    const overlaid = await this.#overlaid(request);
    if (overlaid !== null) return overlaid;
    const explain = new QueryExplain(request.recall);
    const matches = this.#in(request.namespace, [], (target, past) => {
      explain.startTry(shownBy(target.row).records);
      const hits = past.search.query(target, { ...request, explain });
      explain.endStage('search');
      return matchesOf(hits, request, this.#foundIn(target, past));
    });
    explain.endStage('fetch');
    return { matches, explanation: explain.finish() };
  }

  async fetch(
    namespace: string,
    ids: readonly string[],
    filter: Filter | null = null,
  ): Promise<readonly StoredRecord[]> {
    const { profile } = this.#parts;
    return this.#in<readonly StoredRecord[]>(namespace, [], (target, { records }) => {
      const found = records.find(target.namespaceId, ids);
      const rows = records.rowsOf(target);
      const stored = ids.flatMap((id) => {
        const record = found.get(id);
        return record === undefined ? [] : [storedOf(record, rows)];
      });
      return matchingRecords(stored, filter, { profile, filterable: target.filterable });
    });
  }

  async fetchByFilter(request: FilteredRequest): Promise<ListPage<StoredRecord>> {
    const { order } = request;
    return this.#in(request.namespace, { items: [], next: null }, (target, past) => {
      if (order !== undefined && !this.#isFilterable(target, order.field)) return { items: [], next: null };
      const page = { ...request, limit: request.limit + 1 };
      const found = past.search.firstMatching(target, request.filter, page);
      return pageOfFound(found, request, this.#foundIn(target, past));
    });
  }

  async count(namespace: string, filter: Filter): Promise<number> {
    return this.#in(namespace, 0, (target, { search }) => search.count(target, filter));
  }

  async countValues(request: ValuesRequest): Promise<readonly FieldCounts[]> {
    const counted = this.#in<readonly FieldCounts[]>(request.namespace, [], (target, { search }) => {
      const fields = request.fields.filter(({ field }) => this.#isFilterable(target, field));
      return search.countValues(target, { ...request, fields });
    });
    return request.fields.map(
      ({ field }) => counted.find((each) => each.field === field) ?? new ValueCounts(field).top(0),
    );
  }

  async listIds(request: {
    readonly namespace: string;
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<string>> {
    return this.#in<ListPage<string>>(request.namespace, { items: [], next: null }, (target, past) => {
      const items: string[] = [];
      for (const id of past.records.listIds(target.namespaceId, request)) {
        if (items.length === request.limit) return { items, next: items.at(-1) ?? null };
        items.push(id);
      }
      return { items, next: null };
    });
  }

  async listNamespaces(request: {
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<NamespaceSummary> & { readonly total: number }> {
    const { limit, after } = request;
    const all = this.#read((past) => pastNamespaces(past, request.prefix));
    const rest = all.filter(({ name }) => after === null || name > after);
    const items = rest.slice(0, limit);
    const next = rest.length > items.length ? (items.at(-1)?.name ?? null) : null;
    return { items, next, total: all.length };
  }

  async recordCounts(): Promise<readonly (readonly NamespaceRecords[])[]> {
    const all = this.#read((past) => pastNamespaces(past, ''));
    return [all.map(({ name, recordCount }) => ({ name, recordCount }))];
  }

  async describeNamespace(name: string): Promise<NamespaceSummary | null> {
    return this.#read((past) => pastSummary(past, name));
  }

  async indexedFields(name: string): Promise<readonly string[]> {
    const texts = textFieldNames(this.#parts.profile);
    const fields = this.#in<readonly string[]>(name, [], ({ filterable, namespaceId }, { store }) => {
      return filterable ?? new VisibleRecords(store).fields(namespaceId);
    });
    return fields.filter((field) => !texts.has(field)).sort();
  }

  /** Null where the present does not help: look at the records then. */
  async #overlaid(request: QueryRequest): Promise<ExplainedMatches | null> {
    const { present, directRecordsMax } = this.#parts;
    const isLarge = this.#in(request.namespace, false, ({ row }, { store }) => {
      const now = presentRow(store, request.namespace, row);
      return now !== null && shownBy(now).records > directRecordsMax;
    });
    if (!isLarge || !canUsePresent(request)) return null;
    for (const deeper of presentRequests(request)) {
      const { matches, explanation } = await present.explainQuery(deeper);
      const merged = this.#merged(request, { request: deeper, matches });
      if (merged !== null) return { matches: merged, explanation };
    }
    return null;
  }

  #merged(request: QueryRequest, present: PresentMatches): readonly Match[] | null {
    const { profile, workspace } = this.#parts;
    return this.#in(request.namespace, null, (target, past) => {
      // Another namespace of the name may have answered.
      if (presentRow(past.store, request.namespace, target.row) === null) return null;
      const parts = { profile, workspace, records: past.records };
      const hits = overlaidHits(parts, target, { request, present });
      return hits === null ? null : matchesOf(hits, request, this.#foundIn(target, past));
    });
  }

  #foundIn(target: SearchTarget, { records }: Past) {
    return { rows: records.rowsOf(target), dimension: this.#parts.profile.dimension };
  }

  #isFilterable({ filterable }: SearchTarget, field: string): boolean {
    return !textFieldNames(this.#parts.profile).has(field) && (filterable?.includes(field) ?? true);
  }

  /** @param none what a missing namespace has */
  #in<Result>(name: string, none: Result, work: (target: PastTarget, past: Past) => Result): Result {
    return this.#read((past) => {
      const row = pastNamespace(past, name);
      if (row === null) return none;
      const filterable = filterableFields(this.#parts.profile, row);
      return work({ row, namespaceId: row.namespaceId, filterable }, past);
    });
  }

  /** Runs `work` on one state of the files. @throws invalid-argument once the history does not reach back so far */
  #read<Result>(work: (past: Past) => Result): Result {
    const { profile, workspace, context, rows } = this.#parts;
    return whilePinned(context, () => {
      const latest = this.#parts.store();
      latest.hold();
      checkReached(latest.shown, this.#seq);
      // Former rows that the history has let go may have been written to.
      const check = () => checkReached(latest.now, this.#seq);
      const state = { store: latest.shown, rows, seq: this.#seq };
      const records = new PastRecords(state);
      let result: Result;
      try {
        result = work({ ...state, records, search: new DirectSearch(profile, records, workspace) });
      } catch (error) {
        check();
        throw error;
      }
      check();
      return result;
    });
  }
}

/** The row of a namespace that is still there; null where it was dropped. */
function presentRow(store: RecordStore, name: string, { namespaceId }: NamespaceRow): NamespaceRow | null {
  const row = store.namespaces.get(name);
  return row?.namespaceId === namespaceId ? row : null;
}
