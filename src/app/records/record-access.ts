// Record access as the interface uses it, from the engine's port.
export type { ReadAsOf } from '../../engine/port/past-reads.ts';
export { queryAndCount } from '../../engine/port/query-and-count.ts';
export type {
  ExplainedMatches,
  Lsn,
  Match,
  NamespaceRecords,
  NamespaceSummary,
  QueryRequest,
  SparseVector,
  StoredRecord,
  ValuesRequest,
  VectorReader,
  VectorWriter,
} from '../../engine/port/reader-and-writer.ts';
export { readerOver } from '../../engine/port/reader-over.ts';
