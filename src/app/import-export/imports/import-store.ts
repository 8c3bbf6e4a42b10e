// The target index of an import, as its job sees it.
import { systemClock, type TimeToLive } from '../../../domain/expiry/time-to-live.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { stampedPacked } from '../../../engine/port/live-records.ts';
import type { PackedRecords } from '../../../engine/port/packed-records.ts';
import type { VectorReader } from '../../../engine/port/reader-and-writer.ts';
import type {
  NewNamespace,
  StagedNamespace,
  StagedNamespaces,
} from '../../../engine/port/staged-namespaces.ts';
import type { VectorStore } from '../../../engine/port/vector-store.ts';
import { retryWhileOverloaded } from '../../../jobs/retry-while-overloaded.ts';

/** Namespaces that are created in one transaction, behind which other writes wait. */
const STAGED_AT_ONCE = 1_000;

export interface ImportStoreParts {
  readonly engine: Pick<VectorStore, 'reader' | 'staging' | 'capabilities'>;
}

/** An import writes to staged namespaces, which only it sees until they are published. */
export class ImportStore {
  readonly #reader: Pick<VectorReader, 'describeNamespace'>;
  readonly #staging: StagedNamespaces;
  readonly #importId: string;
  readonly #timeToLive: TimeToLive | undefined;

  constructor({ engine }: ImportStoreParts, profile: IndexProfile, importId: string) {
    this.#reader = engine.reader(profile);
    this.#staging = engine.staging(profile);
    this.#importId = importId;
    this.#timeToLive = profile.timeToLive;
  }

  /** Counts the records that callers see; null when there is no such namespace. */
  countOf(namespace: string, signal: AbortSignal): Promise<number | null> {
    return retryWhileOverloaded(
      signal,
      async () => (await this.#reader.describeNamespace(namespace))?.recordCount ?? null,
    );
  }

  /** Creates namespaces that exist even without records. */
  async stage(namespaces: readonly NewNamespace[]): Promise<void> {
    for (let at = 0; at < namespaces.length; at += STAGED_AT_ONCE)
      await this.#staging.create(this.#importId, namespaces.slice(at, at + STAGED_AT_ONCE));
  }

  /**
   * The records are on disk when it resolves. Takes over their buffers.
   * @throws Fault interrupted, storage-full: the buffers are then gone, and reading resumes at the last checkpoint
   */
  async write(namespace: string, records: PackedRecords, signal: AbortSignal): Promise<void> {
    const stamped = stampedPacked(records, this.#timeToLive, { namespace, now: systemClock() });
    await retryWhileOverloaded(signal, () => {
      signal.throwIfAborted();
      // A refusal because of a full queue leaves the buffers intact.
      return this.#staging.write(this.#importId, namespace, stamped);
    });
  }

  /** Counts written, unpublished records; repeated ids count once. */
  async stagedCount(): Promise<number> {
    return (await this.staged()).reduce((sum, { recordCount }) => sum + recordCount, 0);
  }

  /** What waits to be published. */
  async staged(): Promise<readonly StagedNamespace[]> {
    return (await this.#staging.list()).filter(({ owner }) => owner === this.#importId);
  }

  /** Publishes everything atomically. Safe to repeat. @throws Fault namespace-exists */
  publish(): Promise<void> {
    return this.#staging.publish(this.#importId);
  }

  /** Removes what was not published. Safe to repeat. */
  drop(): Promise<void> {
    return this.#staging.drop(this.#importId);
  }

  /**
   * Removes what unknown imports left, for example those of a lost catalog.
   * @param activeIds read after what is staged: an import that begins meanwhile is active before it stages anything
   */
  async sweep(activeIds: () => Promise<ReadonlySet<string>>): Promise<void> {
    const owners = new Set((await this.#staging.list()).map(({ owner }) => owner));
    if (owners.size === 0) return;
    for (const owner of owners.difference(await activeIds())) await this.#staging.drop(owner);
  }
}
