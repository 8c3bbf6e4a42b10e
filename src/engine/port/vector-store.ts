// The engine's port: storage of indexes, and typed access to their records.
import type { Clock } from '../../domain/expiry/time-to-live.ts';
import type { IndexProfile, IndexSize } from '../../domain/index-model.ts';
import type { CheckProgress, IndexCheck } from '../../domain/integrity/index-check.ts';
import type { EngineCapabilities } from './capabilities.ts';
import type { ChangedRecords } from './changed-records.ts';
import type { EngineMetrics } from './engine-metrics.ts';
import type { IndexBranches } from './index-branches.ts';
import type { IndexCopies } from './index-copies.ts';
import type { IndexHistory } from './index-history.ts';
import type { VectorReader, VectorWriter } from './reader-and-writer.ts';
import type { StagedNamespaces } from './staged-namespaces.ts';
import type { WriteLogs } from './write-log.ts';

export type * from './capabilities.ts';
export type * from './engine-metrics.ts';

export interface CheckOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: CheckProgress) => void;
}

/**
 * One engine. `reader`, `writer`, `copies`, `staging` and `changed` are cheap: they open nothing before their first call, and may be
 * kept. Calls on an index that does not exist fail with the fault index-not-found.
 */
export interface CloseOptions {
  /**
   * How long to save what the next start would have to derive anew from the records, in milliseconds; default 0, not at
   * all. What is not saved by then costs the next start time, and nothing else.
   */
  readonly saveMsMax?: number;
}

export interface VectorStore {
  readonly capabilities: EngineCapabilities;
  /** Creates the storage of an index. Durable when it resolves. Safe to repeat. */
  createIndex(profile: IndexProfile): Promise<void>;
  /** Closes the index everywhere and removes its storage. Safe to repeat. */
  dropIndex(indexId: string): Promise<void>;
  /** The records of an index and its bytes on disk; zeros when it has no storage yet. */
  sizeOf(profile: IndexProfile): Promise<IndexSize>;
  /**
   * The figures of these indexes, in their order, and of the engine's threads. Opens no index, and leaves out those that
   * do not exist. Cheap enough to be polled by monitoring.
   */
  metrics(profiles: readonly IndexProfile[]): Promise<EngineMetrics>;
  /**
   * Reads all files of an index and compares their checksums, while it is served. Works on indexes that are closed for
   * damage, too.
   * @throws index-not-found, overloaded; CopyFailed overtaken or interrupted; the signal's reason
   */
  check(profile: IndexProfile, options?: CheckOptions): Promise<IndexCheck>;
  /**
   * Moves what is in memory of an index to the memory profile that it has now, in the background, while it is searched as
   * before. Engines whose `memoryProfiles` is false have nothing to do.
   */
  reshape(profile: IndexProfile): Promise<void>;
  /**
   * Resolves when the writes of an index that were sent before have been carried out, or have failed: every read that
   * begins later sees them. Where nodes share the index, so have those that other nodes had begun to carry out. Need not
   * wait for changes by filter, which may take minutes: they make no namespace, and remove one as deleteIds does.
   */
  earlierWrites(profile: IndexProfile): Promise<void>;
  /** @param clock tells what has expired; one that stands still gives all calls the same moment. Default the system's */
  reader(profile: IndexProfile, clock?: Clock): VectorReader;
  /** @param clock tells when records are written, and what has expired; default the system's */
  writer(profile: IndexProfile, clock?: Clock): VectorWriter;
  /** Exports, imports, and bulk reads and writes. */
  copies(profile: IndexProfile): IndexCopies;
  /** Namespaces that a job fills before they become visible. */
  staging(profile: IndexProfile): StagedNamespaces;
  /** Which records change, for a follower. Engines whose `tracksChanges` is false throw. */
  changed(profile: IndexProfile): ChangedRecords;
  /** What changed in the last hours, and the way back. Engines whose `history` is false throw. */
  history(profile: IndexProfile): IndexHistory;
  /** Branches of namespaces. Engines whose `branches` is false throw. */
  branches(profile: IndexProfile): IndexBranches;
  /** The logs of all indexes, for those who keep them elsewhere; null where the engine has none. */
  readonly logs: WriteLogs | null;
  /** Finishes the running work, then releases threads and files. */
  close(options?: CloseOptions): Promise<void>;
}
