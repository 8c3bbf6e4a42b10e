// The engine as the rest of the product sees it: storage of indexes, and typed access to the records of each.
import type { IndexProfile } from '../../domain/index-model.ts';
import type { EngineCapabilities } from './capabilities.ts';
import type { EngineMetrics } from './engine-metrics.ts';
import type { IndexCopies } from './index-copies.ts';
import type { VectorReader, VectorWriter } from './reader-and-writer.ts';
import type { StagedNamespaces } from './staged-namespaces.ts';

export type * from './capabilities.ts';
export type * from './engine-metrics.ts';

/**
 * One engine. Access to an index is cheap to ask for and may be kept: it opens nothing before its first call. Calls on an
 * index that does not exist fail with the fault index-not-found.
 */
export interface VectorStore {
  readonly capabilities: EngineCapabilities;
  /** Creates the storage of an index. Durable when it resolves. Safe to repeat. */
  createIndex(profile: IndexProfile): Promise<void>;
  /** Closes the index everywhere and removes its storage. Safe to repeat. */
  dropIndex(indexId: string): Promise<void>;
  /** Total records and bytes on disk of an index; zeros when it has no storage yet. */
  sizeOf(profile: IndexProfile): Promise<{ readonly records: number; readonly bytes: number }>;
  /**
   * What monitoring asks for, often: of these indexes, in their order, and of the engine's threads. Opens no index;
   * leaves out indexes that do not exist.
   */
  metrics(profiles: readonly IndexProfile[]): Promise<EngineMetrics>;
  reader(profile: IndexProfile): VectorReader;
  writer(profile: IndexProfile): VectorWriter;
  /** Exports, imports, and reads and writes in bulk. */
  copies(profile: IndexProfile): IndexCopies;
  /** Namespaces that a job fills before anyone sees them. */
  staging(profile: IndexProfile): StagedNamespaces;
  /** Finishes running work, then releases threads and files. */
  close(): Promise<void>;
}
