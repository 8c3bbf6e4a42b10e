// Staged namespaces: a job fills them where nobody reads or counts them, and publishes all of them at once or none.
import type { MetadataSchema } from '../../domain/index-model.ts';
import type { PackedRecords } from './packed-records.ts';
import type { Lsn } from './reader-and-writer.ts';

export interface NewNamespace {
  readonly name: string;
  readonly schema: MetadataSchema | null;
}

export interface StagedNamespace extends NewNamespace {
  /** Who fills it. */
  readonly owner: string;
  readonly recordCount: number;
}

/** The staged namespaces of one index. An owner is a job's id: ASCII without NUL. */
export interface StagedNamespaces {
  /** Creates those that do not exist yet. */
  create(owner: string, namespaces: readonly NewNamespace[]): Promise<void>;
  /**
   * Inserts or replaces records in a staged namespace, all or none, and creates the namespace where it is missing.
   * @param records bounded as for `IndexCopies.write`; their buffers are moved away
   * @throws overloaded, interrupted, storage-full, index-not-found
   */
  write(owner: string, namespace: string, records: PackedRecords): Promise<Lsn>;
  /** Those of all owners. */
  list(): Promise<readonly StagedNamespace[]>;
  /**
   * Gives an owner's namespaces their names, in one transaction. Where a namespace of that name exists by now, the two
   * are merged: its records replace staged ones of the same ids, and its schema stays.
   * No effect when the owner has none, so it is safe to repeat.
   * @throws namespace-exists when more than `capabilities.mergedRecordsMax` records would be merged; nothing is published
   */
  publish(owner: string): Promise<void>;
  /** Removes what an owner has not published. Safe to repeat. */
  drop(owner: string): Promise<void>;
}
