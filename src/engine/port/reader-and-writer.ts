// Typed access to the records of one index. The conformance suite checks every engine against these descriptions.
import type { Filter } from '../../domain/filter/grammar.ts';
import type { TextQuery } from '../../domain/full-text/text-query.ts';
import type { MetadataSchema } from '../../domain/index-model.ts';
import type { QueryExplanation } from '../../domain/query-explain.ts';
import type { SparseVector, StorableRecord } from '../../domain/records/record.ts';
import type { MetadataChange, RecordChange } from '../../domain/records/record-change.ts';
import type { FieldCounts } from '../../domain/records/value-counts.ts';

export type { Metadata, MetadataValue, SparseVector, StorableRecord } from '../../domain/records/record.ts';
export type { MetadataChange, RecordChange } from '../../domain/records/record-change.ts';

/**
 * A record as stored. Metadata stays JSON text, so that responses can embed it without parsing.
 *
 * A document is one record too: `values` has its dense slot (null exactly when the schema has none: then the index's
 * dimension is null), `sparse` its sparse slot, and `metadataJson` all other stored fields, texts included, as one flat
 * object. `checkDocument` (domain/records) has the rules; upserts do not check them, changes do.
 */
export type StoredRecord = StorableRecord;

export interface Match extends Partial<Pick<StoredRecord, 'values' | 'sparse' | 'metadataJson'>> {
  readonly id: string;
  /** cosine: -1..1, dotproduct and sparse: inner product, euclidean: squared distance, text: as domain/full-text says. */
  readonly score: number;
}

export interface QueryRequest {
  /** Namespace name; the default namespace is `''`. */
  readonly namespace: string;
  /** 1 or more; callers check it. */
  readonly topK: number;
  readonly values: Float32Array | null;
  /** Ignored beside `values`, unless the metric is dotproduct. */
  readonly sparse: SparseVector | null;
  /**
   * Ranks the records that match by their text score. Default null. On document indexes `values` and `sparse` are null
   * then. On indexes of vectors with ranked fields `sparse` is given, too: an engine without the capability `ranksTexts`
   * ranks by it instead.
   */
  readonly text?: TextQuery | null;
  readonly filter: Filter | null;
  /** Beside `sparse` only: indices, ascending, that every match's sparse vector contains. Applied before ranking. */
  readonly requiredTerms?: Uint32Array;
  readonly includeValues: boolean;
  readonly includeMetadata: boolean;
  /**
   * The bytes that the answer may take. An engine may throw response-too-big once it certainly takes more, to save the
   * work. Unbounded by default.
   */
  readonly answerBytesMax?: number;
  /** What the answer will be written as, for an engine that measures it. Not known by default. */
  readonly answerForm?: 'json' | 'message';
  /** Factor on the usual effort of a search, above 0. The default, 1, keeps the recall promise. */
  readonly effort?: number;
  /** The recall to expect, 0.6 to 0.999, which chooses the effort; not beside `effort`. */
  readonly recall?: number;
  /** The most records to score exactly, at least topK. By default as many as the result needs. */
  readonly candidatesMax?: number;
}

/** The best matches, and how many there are in all. */
export interface CountedMatches {
  readonly matches: readonly Match[];
  readonly matched: number;
}

/** Of which records must match one; null for all. A sparse vector matches those that share an index with it. */
export type MatchTargets =
  | readonly (Pick<QueryRequest, 'sparse'> & Required<Pick<QueryRequest, 'text'>>)[]
  | null;

/** Whose values to count, and how. */
export interface ValuesRequest extends Pick<QueryRequest, 'namespace' | 'filter'> {
  readonly among: MatchTargets;
  /** Metadata fields that filters can use, others have no values; and how many values to return of each. */
  readonly fields: readonly { readonly field: string; readonly limit: number }[];
}

/** Which page of the records that match a filter to read. */
export interface FilteredRequest {
  readonly namespace: string;
  readonly filter: Filter;
  readonly limit: number;
  /** The id that the page starts after (exclusive). */
  readonly after: string | null;
  readonly bytesMax: number;
  /** By default, records come in bytewise id order. */
  readonly order?: NumberOrder;
}

/**
 * An order by the numbers of a metadata field that filters can use; equal numbers by bytewise ids, ascending. Records
 * without a number in the field are left out.
 */
export interface NumberOrder {
  readonly field: string;
  readonly descending: boolean;
  /** The number of the record that `after` names: a page starts after both. Null on the first page. */
  readonly afterNumber: number | null;
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page starts (exclusive), or null on the last page. */
  readonly next: string | null;
}

export interface NamespaceSummary {
  /** Of this namespace alone: one of the same name that is made after its deletion has another. */
  readonly number: number;
  /** The default namespace is `''`. */
  readonly name: string;
  readonly recordCount: number;
  /** Bytes of its records' vectors and metadata as stored. */
  readonly sizeBytes: number;
  /** The schema it was created with; null when it inherits the index's. */
  readonly schema: MetadataSchema | null;
  /** Whether it stays when it has no records; copies of it are created by name then, as it was. */
  readonly isExplicit: boolean;
}

/** How many records a namespace has. */
export type NamespaceRecords = Pick<NamespaceSummary, 'name' | 'recordCount'>;

/** Log sequence number: identifies a write of the index. Starts at 0 and grows by at least 1 with each write. */
export type Lsn = number;

/** The matches of a query, and what the query did to find them. */
export interface ExplainedMatches {
  readonly matches: readonly Match[];
  readonly explanation: QueryExplanation;
}

/** A write by filter, and how many records it changed or deleted. */
export interface MatchedWrite {
  readonly lsn: Lsn;
  readonly matched: number;
}

/** Which records to remove. */
export interface RemovalRequest {
  /** The metadata field with the moment of expiry in seconds since 1970; null when no record expires any more. */
  readonly field: string | null;
  /** Records with a moment up to this one have expired. */
  readonly now: number;
  /** Records to remove at most. */
  readonly recordsMax: number;
}

export interface Removal {
  readonly removed: number;
  /** False when there is more to do now. */
  readonly isDone: boolean;
  /** The earliest moment among the records that are left and have expired; null when none is known. */
  readonly oldest: number | null;
}

/** Reads of one index. A missing namespace reads as empty. */
export interface VectorReader {
  /** The highest committed write. Every read that begins later sees it. */
  lsn(): Lsn | Promise<Lsn>;
  /**
   * The top matches: highest score first (by dense vectors and euclidean distance: lowest first), ties by id. Statistics
   * of text scores are those of all live records of the namespace, whatever the filter.
   */
  query(request: QueryRequest): Promise<readonly Match[]>;
  /** The same matches, and how the query found them. */
  explainQuery(request: QueryRequest): Promise<ExplainedMatches>;
  /** The stored records with these ids, in the order of `ids`, without unknown ones and those that a filter excludes. */
  fetch(namespace: string, ids: readonly string[], filter?: Filter | null): Promise<readonly StoredRecord[]>;
  /** A page of the records that match. It ends early, after the record that takes it past `bytesMax`. */
  fetchByFilter(request: FilteredRequest): Promise<ListPage<StoredRecord>>;
  /**
   * As `query`, with the exact number of records that match: those that pass the filter and, without a dense vector, match
   * the text or share an index with the sparse vector.
   */
  countedQuery(request: QueryRequest): Promise<CountedMatches>;
  /** The exact number of records that match the filter and, if given, one of some targets. */
  count(namespace: string, filter: Filter | null, among?: MatchTargets): Promise<number>;
  /** The most frequent values of metadata fields among the records that match, in the order of `fields`. */
  countValues(request: ValuesRequest): Promise<readonly FieldCounts[]>;
  /** A page of the ids with a prefix, in bytewise order. */
  listIds(request: {
    readonly namespace: string;
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<string>>;
  /** A page of the namespaces with a prefix, in bytewise order of their stored names; `total` counts all with the prefix. */
  listNamespaces(request: {
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<NamespaceSummary> & { readonly total: number }>;
  /**
   * The records of every namespace, in bytewise order of their stored names, in blocks of any length: a block that is
   * returned again has not changed.
   */
  recordCounts(): Promise<readonly (readonly NamespaceRecords[])[]>;
  /** Null when there is no such namespace. */
  describeNamespace(name: string): Promise<NamespaceSummary | null>;
  /**
   * The metadata fields that filters can use, sorted; without a schema, every field that a record has. Text fields are
   * none of them.
   */
  indexedFields(name: string): Promise<readonly string[]>;
}

/** Writes of one index. A resolved promise means: on disk, and visible to every later read. */
export interface VectorWriter {
  /** Inserts or replaces whole records, all or none. The last of several records with one id wins. Creates the namespace. */
  upsert(namespace: string, records: readonly StorableRecord[]): Promise<Lsn>;
  /**
   * Changes one record. Has no effect, but an LSN, when there is no such namespace or no record has the id.
   * @throws metadata-too-big when the merged metadata exceeds METADATA_BYTES_MAX; on document indexes the faults of
   *   `checkDocument`. Nothing is changed then
   */
  update(namespace: string, change: RecordChange): Promise<Lsn>;
  /**
   * Changes up to UPDATE_RECORDS_MAX records, all or none, each as `update` does, in their order.
   * @throws as `update`
   */
  updateMany(namespace: string, changes: readonly RecordChange[]): Promise<Lsn>;
  /**
   * Changes the metadata of at most `recordsMax` matching records, all or none, and returns how many match up to that.
   * A missing namespace has none. @throws as `update`
   */
  updateByFilter(
    namespace: string,
    change: MetadataChange & { readonly filter: Filter; readonly recordsMax: number },
  ): Promise<MatchedWrite>;
  /**
   * Ignores unknown ids. Also removes a namespace that an upsert created and that has no records left.
   * @throws namespace-not-found; callers that answer without an error catch it
   */
  deleteIds(namespace: string, ids: readonly string[]): Promise<Lsn>;
  /**
   * Deletes all that match, and returns how many. Removes namespaces as deleteIds does.
   * @throws namespace-not-found, as deleteIds
   */
  deleteByFilter(namespace: string, filter: Filter): Promise<MatchedWrite>;
  /** Removes the namespace and all its records. @throws namespace-not-found */
  deleteNamespace(name: string): Promise<Lsn>;
  /**
   * Removes records whose moment has passed, the earliest first, whatever reads and other writes take for expired. Also
   * removes namespaces as deleteIds does. Safe to repeat: call it again until nothing is left.
   */
  removeExpired(request: RemovalRequest): Promise<Removal>;
  /** Creates a namespace that stays when it has no records. @throws namespace-exists */
  createNamespace(name: string, schema: MetadataSchema | null): Promise<NamespaceSummary>;
}
