// Staged namespaces: a job fills them while no reader can see them, then publishes all of them or none.
import type { MetadataSchema } from '../../domain/index-model.ts';
import type { PackedRecords } from './packed-records.ts';
import type { Lsn } from './reader-and-writer.ts';

export interface NewNamespace {
  readonly name: string;
  readonly schema: MetadataSchema | null;
}

export interface StagedNamespace extends NewNamespace {
  /** The id of the job that fills it. */
  readonly owner: string;
  readonly recordCount: number;
}

/** The staged namespaces of one index. An owner is a job's id: ASCII without NUL. */
export interface StagedNamespaces {
  /** Creates the namespaces that do not exist yet. Published, they exist even without records, as created ones do. */
  create(owner: string, namespaces: readonly NewNamespace[]): Promise<void>;
  /**
   * Inserts or replaces records in a staged namespace, all or none. Creates the namespace if it is missing.
   * A namespace that this has created exists only for its records, as one that an upsert creates.
   * @param records bounded as for `IndexCopies.write`; their buffers are transferred
   * @throws overloaded, interrupted, storage-full, index-not-found
   */
  write(owner: string, namespace: string, records: PackedRecords): Promise<Lsn>;
  /** Lists the staged namespaces of all owners. */
  list(): Promise<readonly StagedNamespace[]>;
  /**
   * Publishes an owner's namespaces under their names, in one transaction. Merges a staged namespace into a published
   * one of the same name, which stays as it is: its records win over staged ones with their ids, and its schema stays.
   * Has no effect when the owner has none, so it is safe to repeat.
   * @throws namespace-exists when more than `capabilities.mergedRecordsMax` records would be merged; nothing is published
   */
  publish(owner: string): Promise<void>;
  /** Removes an owner's staged namespaces. Safe to repeat. */
  drop(owner: string): Promise<void>;
}
