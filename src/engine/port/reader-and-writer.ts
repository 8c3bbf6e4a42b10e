// Typed access to the records of one index. The conformance suite checks every engine against these descriptions.
import type { Filter } from '../../domain/filter/grammar.ts';
import type { MetadataSchema } from '../../domain/index-model.ts';
import type { QueryExplanation } from '../../domain/query-explain.ts';
import type { Metadata, SparseVector, StorableRecord } from '../../domain/records/record.ts';

export type { Metadata, MetadataValue, SparseVector, StorableRecord } from '../../domain/records/record.ts';

/** A record as stored. Metadata stays JSON text, so that responses can embed it without parsing. */
export type StoredRecord = StorableRecord;

export interface Match extends Partial<Pick<StoredRecord, 'values' | 'sparse' | 'metadataJson'>> {
  readonly id: string;
  /** cosine: -1..1, dotproduct: inner product, euclidean: squared distance. */
  readonly score: number;
}

export interface QueryRequest {
  /** Namespace name; the default namespace is `''`. */
  readonly namespace: string;
  readonly topK: number;
  readonly values: Float32Array | null;
  /** Ignored beside `values`, unless the metric is dotproduct. */
  readonly sparse: SparseVector | null;
  readonly filter: Filter | null;
  /** With `sparse` only: indices, ascending, that every match's sparse vector contains. Applied before ranking. */
  readonly requiredTerms?: Uint32Array;
  readonly includeValues: boolean;
  readonly includeMetadata: boolean;
  /** Factor on the usual effort of a search, above 0. The default, 1, keeps the recall promise. */
  readonly effort?: number;
  /** The most records to score exactly, at least topK. By default as many as the result needs. */
  readonly candidatesMax?: number;
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page starts (exclusive), or null on the last page. */
  readonly next: string | null;
}

export interface NamespaceSummary {
  /** The default namespace is `''`. */
  readonly name: string;
  readonly recordCount: number;
  /** Bytes of its records' vectors and metadata as stored. */
  readonly sizeBytes: number;
  /** The schema it was created with; null when it inherits the index's. */
  readonly schema: MetadataSchema | null;
}

/** Log sequence number: identifies a write of the index. Starts at 0 and grows by at least 1 with each write. */
export type Lsn = number;

/** The matches of a query, and what the query did to find them. */
export interface ExplainedMatches {
  readonly matches: readonly Match[];
  readonly explanation: QueryExplanation;
}

/** A change of one record: vectors that are set replace the stored ones, `setMetadata` merges. */
export interface RecordChange {
  readonly id: string;
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
  readonly setMetadata: Metadata | null;
}

/** Reads of one index. A missing namespace reads as empty. */
export interface VectorReader {
  /** The highest committed write. Every read that begins later sees it. */
  lsn(): Lsn | Promise<Lsn>;
  /** The top matches: highest score first (euclidean: lowest first), ties by id. */
  query(request: QueryRequest): Promise<readonly Match[]>;
  /** The same matches, and how the query found them. */
  explainQuery(request: QueryRequest): Promise<ExplainedMatches>;
  /** The stored records with these ids, in the order of `ids`, without unknown ones. */
  fetch(namespace: string, ids: readonly string[]): Promise<readonly StoredRecord[]>;
  /**
   * A page of the records that match, in bytewise id order, starting after `after` (exclusive).
   * A page ends early, after the record that takes it past `bytesMax`.
   */
  fetchByFilter(request: {
    readonly namespace: string;
    readonly filter: Filter;
    readonly limit: number;
    readonly after: string | null;
    readonly bytesMax: number;
  }): Promise<ListPage<StoredRecord>>;
  /** The number of records that match. */
  count(namespace: string, filter: Filter): Promise<number>;
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
  /** Null when there is no such namespace. */
  describeNamespace(name: string): Promise<NamespaceSummary | null>;
  /** The metadata fields that filters can use, sorted; without a schema, every field that a record has. */
  indexedFields(name: string): Promise<readonly string[]>;
}

/** Writes of one index. A resolved promise means: on disk, and visible to every later read. */
export interface VectorWriter {
  /** Inserts or replaces whole records, all or none. The last of several records with one id wins. Creates the namespace. */
  upsert(namespace: string, records: readonly StorableRecord[]): Promise<Lsn>;
  /**
   * Changes one record. Has no effect when no record has the id.
   * @throws metadata-too-big when the merged metadata exceeds METADATA_BYTES_MAX
   */
  update(namespace: string, change: RecordChange): Promise<Lsn>;
  /** Changes many records, each as `update` does. A crash may leave only some of them changed. */
  updateMany(namespace: string, changes: readonly RecordChange[]): Promise<Lsn>;
  /** Merges metadata into at most `recordsMax` matching records, and returns how many. */
  updateByFilter(
    namespace: string,
    change: { readonly filter: Filter; readonly setMetadata: Metadata; readonly recordsMax: number },
  ): Promise<{ readonly lsn: Lsn; readonly matched: number }>;
  /** Also removes a namespace that an upsert created and that has no records left. @throws namespace-not-found */
  deleteIds(namespace: string, ids: readonly string[]): Promise<Lsn>;
  /** Removes namespaces as deleteIds does. @throws namespace-not-found */
  deleteByFilter(namespace: string, filter: Filter): Promise<Lsn>;
  /** Removes the namespace and all its records. @throws namespace-not-found */
  deleteNamespace(name: string): Promise<Lsn>;
  /** Creates a namespace that stays when it has no records. @throws namespace-exists */
  createNamespace(name: string, schema: MetadataSchema | null): Promise<NamespaceSummary>;
}
