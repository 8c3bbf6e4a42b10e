// Records and search of one index: typed calls, plain data. The conformance suite holds every engine to what is said here.
import type { Filter } from '../../domain/filter/grammar.ts';
import type { MetadataSchema } from '../../domain/index-model.ts';
import type { QueryExplanation } from '../../domain/query-explain.ts';
import type { Metadata, SparseVector, StorableRecord } from '../../domain/records/record.ts';

export type { Metadata, MetadataValue, SparseVector, StorableRecord } from '../../domain/records/record.ts';

/** A record as stored. Metadata stays JSON text so that answers can embed it without parsing. */
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
  readonly sparse: SparseVector | null;
  readonly filter: Filter | null;
  /** With `sparse`: indices, ascending, that the sparse vector of every match has; a filter, before ranking. */
  readonly requiredTerms?: Uint32Array;
  readonly includeValues: boolean;
  readonly includeMetadata: boolean;
  /** Share of the usual effort of a search, above 0; 1, the default, keeps the recall promise. */
  readonly effort?: number;
  /** Records scored exactly, at most; topK or more. By default as many as the result needs. */
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
  /** Bytes of its records as stored (vectors and metadata). */
  readonly sizeBytes: number;
  /** Schema given at its creation; null when it inherits the index's. */
  readonly schema: MetadataSchema | null;
}

/** Highest committed write of the index; every read sees it. Starts at 0, grows by at least 1 a write. */
export type Lsn = number;

/** The matches of a query, and what the query did to find them. */
export interface ExplainedMatches {
  readonly matches: readonly Match[];
  readonly explanation: QueryExplanation;
}

/** One record's change: given vectors replace, `setMetadata` fields merge. */
export interface RecordChange {
  readonly id: string;
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
  readonly setMetadata: Metadata | null;
}

/** Reads of one index. A missing namespace reads as empty. */
export interface VectorReader {
  /** Every read that begins later sees at least this write. */
  lsn(): Lsn | Promise<Lsn>;
  /** Best matches first (euclidean: lowest score first); ties by id. */
  query(request: QueryRequest): Promise<readonly Match[]>;
  /** The same matches, and what the query did. */
  explainQuery(request: QueryRequest): Promise<ExplainedMatches>;
  /** The stored records of these ids, in the order asked; unknown ids are left out. */
  fetch(namespace: string, ids: readonly string[]): Promise<readonly StoredRecord[]>;
  /**
   * Records that match, in bytewise id order, after `after` (exclusive).
   * Pages end early when the records of a page pass `bytesMax`.
   */
  fetchByFilter(request: {
    readonly namespace: string;
    readonly filter: Filter;
    readonly limit: number;
    readonly after: string | null;
    readonly bytesMax: number;
  }): Promise<ListPage<StoredRecord>>;
  /** How many records match now. */
  count(namespace: string, filter: Filter): Promise<number>;
  /** Ids with a prefix in bytewise order. */
  listIds(request: {
    readonly namespace: string;
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<string>>;
  /** Namespaces with a prefix in bytewise order of their stored name; total counts all with the prefix. */
  listNamespaces(request: {
    readonly prefix: string;
    readonly limit: number;
    readonly after: string | null;
  }): Promise<ListPage<NamespaceSummary> & { readonly total: number }>;
  /** Null when there is no such namespace. */
  describeNamespace(name: string): Promise<NamespaceSummary | null>;
  /** Metadata fields of a namespace that filters can use, sorted; the names seen when there is no schema. */
  indexedFields(name: string): Promise<readonly string[]>;
}

/** Writes of one index. A resolved promise means: on disk, and visible to every later read. */
export interface VectorWriter {
  /** Inserts or replaces whole records, all or none; a later duplicate id wins. Creates the namespace. */
  upsert(namespace: string, records: readonly StorableRecord[]): Promise<Lsn>;
  /**
   * Changes one record. No effect when no record has the id.
   * @throws metadata-too-big when the merged metadata passes METADATA_BYTES_MAX
   */
  update(namespace: string, change: RecordChange): Promise<Lsn>;
  /** Changes many records, each as `update` does; a crash may leave some of them changed. */
  updateMany(namespace: string, changes: readonly RecordChange[]): Promise<Lsn>;
  /** Merges metadata into up to `recordsMax` matching records. Answers how many it changed. */
  updateByFilter(
    namespace: string,
    change: { readonly filter: Filter; readonly setMetadata: Metadata; readonly recordsMax: number },
  ): Promise<{ readonly lsn: Lsn; readonly matched: number }>;
  /** @throws namespace-not-found */
  deleteIds(namespace: string, ids: readonly string[]): Promise<Lsn>;
  /** @throws namespace-not-found */
  deleteByFilter(namespace: string, filter: Filter): Promise<Lsn>;
  /** Removes the namespace and all its records. @throws namespace-not-found */
  deleteNamespace(name: string): Promise<Lsn>;
  /** @throws namespace-exists */
  createNamespace(name: string, schema: MetadataSchema | null): Promise<NamespaceSummary>;
}
