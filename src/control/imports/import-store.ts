// The index that an import writes into, as the job sees it.
import { Fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { IndexCopies } from '../../vectors/index-copies.ts';
import type { PackedRecords } from '../../vectors/packed-records.ts';

/** Pause before what found a queue full is tried again. */
const RETRY_MS = 100;
const RETRIES_MAX = 600;

export interface NamespaceStore {
  /** Records; null when there is no such namespace. */
  count(profile: IndexProfile, namespace: string): Promise<number | null>;
  /** Removes a namespace with its records; no effect when there is none. */
  drop(profile: IndexProfile, namespace: string): Promise<void>;
}

export interface ImportStoreParts {
  readonly engine: Pick<IndexCopies, 'writeRecords'>;
  readonly namespaces: NamespaceStore;
}

export class ImportStore {
  readonly #parts: ImportStoreParts;
  readonly #profile: IndexProfile;

  constructor(parts: ImportStoreParts, profile: IndexProfile) {
    this.#parts = parts;
    this.#profile = profile;
  }

  /** Null when there is no such namespace. */
  countOf(namespace: string): Promise<number | null> {
    return whenFree(() => this.#parts.namespaces.count(this.#profile, namespace));
  }

  /**
   * On disk and visible when it resolves. Takes the records' buffers.
   * @throws Fault interrupted, storage-full: the buffers are gone then, and reading has to begin at the last checkpoint
   */
  async write(namespace: string, records: PackedRecords, signal: AbortSignal): Promise<void> {
    await whenFree(() => {
      signal.throwIfAborted();
      // Refused for a full queue, it has not taken the buffers yet.
      return this.#parts.engine.writeRecords(this.#profile, namespace, records);
    });
  }

  drop(namespace: string): Promise<void> {
    return whenFree(() => this.#parts.namespaces.drop(this.#profile, namespace));
  }
}

/** Waits for a place in the queue. */
export async function whenFree<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isPassing = error instanceof Fault && error.condition === 'overloaded';
      if (!isPassing || attempt === RETRIES_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
