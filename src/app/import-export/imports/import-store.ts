// The index that an import writes into, as the job sees it.
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { IndexCopies } from '../../../engine/port/index-copies.ts';
import type { PackedRecords } from '../../../engine/port/packed-records.ts';
import {
  type NewNamespace,
  type StagedNamespaces,
  stagedName,
} from '../../../engine/port/staged-namespaces.ts';
import { retryWhileOverloaded } from '../../../jobs/retry-while-overloaded.ts';

export interface NamespaceStore {
  /** Records; null when there is no such namespace. */
  count(profile: IndexProfile, namespace: string): Promise<number | null>;
}

export interface ImportStoreParts {
  readonly engine: Pick<IndexCopies, 'writeRecords'> & StagedNamespaces;
  readonly namespaces: NamespaceStore;
}

/** What an import writes lies in namespaces in the making, which are its own until they are published. */
export class ImportStore {
  readonly #parts: ImportStoreParts;
  readonly #profile: IndexProfile;
  readonly #importId: string;

  constructor(parts: ImportStoreParts, profile: IndexProfile, importId: string) {
    this.#parts = parts;
    this.#profile = profile;
    this.#importId = importId;
  }

  /** Records that callers see; null when there is no such namespace. */
  countOf(namespace: string, signal: AbortSignal): Promise<number | null> {
    return retryWhileOverloaded(signal, () => this.#parts.namespaces.count(this.#profile, namespace));
  }

  /** Makes namespaces that are to be there without records, too, or have a schema. */
  async stage(namespaces: readonly NewNamespace[]): Promise<void> {
    if (namespaces.length === 0) return;
    await this.#parts.engine.stageNamespaces(this.#profile, this.#importId, namespaces);
  }

  /**
   * On disk when it resolves. Takes the records' buffers.
   * @throws Fault interrupted, storage-full: the buffers are gone then, and reading has to begin at the last checkpoint
   */
  async write(namespace: string, records: PackedRecords, signal: AbortSignal): Promise<void> {
    const name = stagedName(this.#importId, namespace);
    await retryWhileOverloaded(signal, () => {
      signal.throwIfAborted();
      // Refused for a full queue, it has not taken the buffers yet.
      return this.#parts.engine.writeRecords(this.#profile, name, records);
    });
  }

  /** Records written and not published, ids that came twice counted once. */
  async stagedCount(): Promise<number> {
    const staged = await this.#parts.engine.stagedNamespaces(this.#profile);
    return staged.reduce((sum, each) => sum + (each.owner === this.#importId ? each.recordCount : 0), 0);
  }

  /** Shows all of it at once. Safe to repeat. @throws Fault namespace-exists */
  publish(): Promise<void> {
    return this.#parts.engine.publishStaged(this.#profile, this.#importId);
  }

  /** Takes back what was not published. Safe to repeat. */
  drop(): Promise<void> {
    return this.#parts.engine.dropStaged(this.#profile, this.#importId);
  }

  /** Removes what imports left that nobody knows any more, those of a catalog that was lost for example. */
  async sweep(activeIds: ReadonlySet<string>): Promise<void> {
    const { engine } = this.#parts;
    const owners = new Set((await engine.stagedNamespaces(this.#profile)).map(({ owner }) => owner));
    for (const owner of owners.difference(activeIds)) await engine.dropStaged(this.#profile, owner);
  }
}
