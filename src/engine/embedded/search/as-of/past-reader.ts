// Reads of an index as it was after an earlier write. Searches by vectors go through memory as it is now where they can:
// what was written since drops out, and the former records of that are scored beside it. All other reads look at the
// records on disk.
import type { Filter } from '../../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../../domain/index-model.ts';
import { QueryExplain } from '../../../../domain/query-explain.ts';
import { parseMetadata } from '../../../../domain/records/metadata.ts';
import { type FieldCounts, ValueCounts } from '../../../../domain/records/value-counts.ts';
import { ReaderThatCounts } from '../../../port/query-and-count.ts';
import type {
  ExplainedMatches,
  FilteredRequest,
  ListPage,
  Match,
  MatchTargets,
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
import type { ReadTables } from '../../storage/record-store.ts';
import { DirectScan } from '../direct-scan.ts';
import { FoundPage, storedOf } from '../found-page.ts';
import { type FoundIn, matchesOf } from '../found-records.ts';
import type { HeldScans } from '../held-scans.ts';
import type { LatestStore } from '../latest-store.ts';
import { filterableFields, matchingRecords, textFieldNames } from '../namespace-filter.ts';
import { type ReaderContext, whilePinned } from '../reader-context.ts';
import { scoredRequest } from '../search-request.ts';
import type { Hit, SearchTarget } from '../search-target.ts';
import { isSlices, runSlices, type Slices } from '../slices.ts';
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
  readonly scans: Pick<HeldScans, 'run'>;
}

/** One state of the files, and what was in it then. */
interface Past extends PastState {
  readonly records: PastRecords;
}

/** A namespace of the past. */
interface PastTarget extends SearchTarget {
  readonly row: NamespaceRow;
}

/** What a scan of a namespace of the past finds, and the answer that is made of it while it stays. */
interface PastScan<Found, Result> {
  readonly ask: (scan: DirectScan, target: PastTarget, past: Past) => Found | Slices<Found>;
  readonly finish: (found: Found, foundIn: FoundIn) => Result;
}

export class PastReader extends ReaderThatCounts implements VectorReader {
  readonly #parts: PastReaderParts;
  readonly #seq: number;

  /** @param seq the write whose state to read; the history reaches it */
  constructor(parts: PastReaderParts, seq: number) {
    super();
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
    const request = scoredRequest(this.#parts.profile, given);
    const overlaid = await this.#overlaid(request);
    if (overlaid !== null) return overlaid;
    const explain = new QueryExplain(request.recall);
    const matches = await this.#scanIn<readonly Hit[], readonly Match[]>(request.namespace, [], {
      ask: (scan, target) => {
        explain.startTry(shownBy(target.row).records);
        return scan.query(target, { ...request, explain });
      },
      finish: (hits, foundIn) => {
        explain.endStage('search');
        return matchesOf(hits, request, foundIn);
      },
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
    const { order, namespace } = request;
    const { dimension } = this.#parts.profile;
    const none: ListPage<StoredRecord> = { items: [], next: null };
    return this.#scanIn<FoundPage, ListPage<StoredRecord>>(namespace, none, {
      ask: (scan, target) => {
        const isOrdered = order === undefined || this.#isFilterable(target, order.field);
        if (!isOrdered) return new FoundPage(request, dimension);
        return scan.pageOf(target, request.filter, request);
      },
      finish: (found, { rows }) => found.read(rows),
    });
  }

  async count(namespace: string, filter: Filter | null, among: MatchTargets = null): Promise<number> {
    return this.#scanIn<number, number>(namespace, 0, {
      ask: (scan, target) => scan.count(target, filter, among),
      finish: (count) => count,
    });
  }

  async countValues(request: ValuesRequest): Promise<readonly FieldCounts[]> {
    const counted = await this.#scanIn<readonly FieldCounts[], readonly FieldCounts[]>(
      request.namespace,
      [],
      {
        ask: (scan, target) => {
          const fields = request.fields.filter(({ field }) => this.#isFilterable(target, field));
          return scan.countValues(target, { ...request, fields });
        },
        finish: (counts) => counts,
      },
    );
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
    const fields = await this.#scanIn<readonly string[], readonly string[]>(name, [], {
      ask: (_, { filterable, namespaceId }, past) => filterable ?? fieldsIn(past, namespaceId),
      finish: (found) => found,
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
      const merged = await this.#merged(request, { request: deeper, matches });
      if (merged !== null) return { matches: merged, explanation };
    }
    return null;
  }

  #merged(request: QueryRequest, present: PresentMatches): Promise<readonly Match[] | null> {
    const { profile, workspace } = this.#parts;
    return this.#scanIn<readonly Hit[] | null, readonly Match[] | null>(request.namespace, null, {
      ask: (_, target, { store, records }) => {
        // Another namespace of the name may have answered.
        if (presentRow(store, request.namespace, target.row) === null) return null;
        return overlaidHits({ profile, workspace, records }, target, { request, present });
      },
      finish: (hits, foundIn) => (hits === null ? null : matchesOf(hits, request, foundIn)),
    });
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

  /** As `#in`, in slices. */
  #scanIn<Found, Result>(name: string, none: Result, scan: PastScan<Found, Result>): Promise<Result> {
    return this.#parts.scans.run((tables) =>
      this.#readIn(tables, (past) => this.#scanOf(past, { name, none, ...scan })),
    );
  }

  *#scanOf<Found, Result>(
    past: Past,
    { name, none, ask, finish }: PastScan<Found, Result> & { readonly name: string; readonly none: Result },
  ): Slices<Result> {
    const { profile, workspace } = this.#parts;
    const row = pastNamespace(past, name);
    if (row === null) return none;
    const target = { row, namespaceId: row.namespaceId, filterable: filterableFields(profile, row) };
    const asked = ask(new DirectScan(profile, past.records, workspace), target, past);
    const found = isSlices(asked) ? yield* asked : asked;
    return finish(found, { rows: past.records.rowsOf(target), dimension: profile.dimension });
  }

  /** Runs `work` on one state of the files. @throws invalid-argument once the history does not reach back so far */
  #read<Result>(work: (past: Past) => Result): Result {
    return whilePinned(this.#parts.context, () => {
      const latest = this.#parts.store();
      latest.hold();
      return runSlices(this.#readIn(latest.shown, work));
    });
  }

  *#readIn<Result>(store: ReadTables, work: (past: Past) => Result | Slices<Result>): Slices<Result> {
    checkReached(store, this.#seq);
    // Former rows that the history has let go may have been written to.
    const check = () => checkReached(this.#parts.store().now, this.#seq);
    const state = { store, rows: this.#parts.rows, seq: this.#seq };
    let result: Result;
    try {
      const asked = work({ ...state, records: new PastRecords(state) });
      result = isSlices<Result>(asked) ? yield* asked : asked;
    } catch (error) {
      check();
      throw error;
    }
    check();
    return result;
  }
}

/** Those that later records brought, too. */
function* fieldsIn({ store, records }: Past, namespaceId: number): Slices<readonly string[]> {
  const fields = new Set(new VisibleRecords(store).fields(namespaceId));
  for (const record of records.former(namespaceId)) {
    yield;
    for (const field of Object.keys(parseMetadata(record?.metadataJson ?? null))) fields.add(field);
  }
  return [...fields];
}

/** The row of a namespace that is still there; null where it was dropped. */
function presentRow(
  store: Pick<ReadTables, 'namespaces'>,
  name: string,
  { namespaceId }: NamespaceRow,
): NamespaceRow | null {
  const row = store.namespaces.get(name);
  return row?.namespaceId === namespaceId ? row : null;
}
