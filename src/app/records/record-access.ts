// The records of one index, as the interface works with them: the engine's typed access, and what it deals in.
export type {
  ExplainedMatches,
  Lsn,
  Match,
  NamespaceSummary,
  QueryRequest,
  SparseVector,
  StoredRecord,
  VectorReader,
  VectorWriter,
} from '../../engine/port/reader-and-writer.ts';
