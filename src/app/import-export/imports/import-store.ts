// The index that an import writes into, as the job sees it.
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { PackedRecords } from '../../../engine/port/packed-records.ts';
import type { VectorReader } from '../../../engine/port/reader-and-writer.ts';
import type { NewNamespace, StagedNamespaces } from '../../../engine/port/staged-namespaces.ts';
import type { VectorStore } from '../../../engine/port/vector-store.ts';
import { retryWhileOverloaded } from '../../../jobs/retry-while-overloaded.ts';

export interface ImportStoreParts {
  readonly engine: Pick<VectorStore, 'reader' | 'staging' | 'capabilities'>;
}

/** What an import writes lies in namespaces in the making, which are its own until they are published. */
export class ImportStore {
  readonly #reader: Pick<VectorReader, 'describeNamespace'>;
  readonly #staging: StagedNamespaces;
  readonly #importId: string;

  constructor({ engine }: ImportStoreParts, profile: IndexProfile, importId: string) {
    this.#reader = engine.reader(profile);
    this.#staging = engine.staging(profile);
    this.#importId = importId;
  }

  /** Records that callers see; null when there is no such namespace. */
  countOf(namespace: string, signal: AbortSignal): Promise<number | null> {
    return retryWhileOverloaded(
      signal,
      async () => (await this.#reader.describeNamespace(namespace))?.recordCount ?? null,
    );
  }

  /** Makes namespaces that are to be there without records, too, or have a schema. */
  async stage(namespaces: readonly NewNamespace[]): Promise<void> {
    if (namespaces.length === 0) return;
    await this.#staging.create(this.#importId, namespaces);
  }

  /**
   * On disk when it resolves. Takes the records' buffers.
   * @throws Fault interrupted, storage-full: the buffers are gone then, and reading has to begin at the last checkpoint
   */
  async write(namespace: string, records: PackedRecords, signal: AbortSignal): Promise<void> {
    await retryWhileOverloaded(signal, () => {
      signal.throwIfAborted();
      // Refused for a full queue, it has not taken the buffers yet.
      return this.#staging.write(this.#importId, namespace, records);
    });
  }

  /** Records written and not published, ids that came twice counted once. */
  async stagedCount(): Promise<number> {
    const staged = await this.#staging.list();
    return staged.reduce((sum, each) => sum + (each.owner === this.#importId ? each.recordCount : 0), 0);
  }

  /** Shows all of it at once. Safe to repeat. @throws Fault namespace-exists */
  publish(): Promise<void> {
    return this.#staging.publish(this.#importId);
  }

  /** Takes back what was not published. Safe to repeat. */
  drop(): Promise<void> {
    return this.#staging.drop(this.#importId);
  }

  /** Removes what imports left that nobody knows any more, those of a catalog that was lost for example. */
  async sweep(activeIds: ReadonlySet<string>): Promise<void> {
    const owners = new Set((await this.#staging.list()).map(({ owner }) => owner));
    for (const owner of owners.difference(activeIds)) await this.#staging.drop(owner);
  }
}
