// The types of record access that the interface uses, from the engine's port.
export type { ReadAsOf } from '../../engine/port/past-reads.ts';
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
