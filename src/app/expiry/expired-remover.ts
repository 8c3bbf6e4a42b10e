// Removes expired records of all indexes in the background: in small steps with pauses, one index after the other.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { RemovalFigures } from '../../domain/expiry/services.ts';
import { type Clock, systemClock } from '../../domain/expiry/time-to-live.ts';
import { Fault } from '../../domain/faults.ts';
import { type Index, isReady, profileOf, storageIdOf } from '../../domain/index-model.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';

/** Removed in one go: some milliseconds of the index's writer. */
export const RECORDS_A_STEP = 500;
/** Between two steps, for the requests of others. */
const PAUSE_MS = 20;
/** Between two looks at all indexes. */
const LOOK_MS = 5_000;
/** A look may take this share of the time; on engines without a table of moments it reads all records. */
const DUTY = 1 / 20;

export interface ExpiredRemoverParts {
  readonly indexes: () => readonly Index[];
  readonly engine: Pick<VectorStore, 'writer'>;
  readonly onFailure: (error: unknown, index: Index) => void;
  readonly clock?: Clock;
  readonly pauseMs?: number;
  readonly lookMs?: number;
}

export class ExpiredRemover {
  readonly #parts: ExpiredRemoverParts;
  readonly #closing = new AbortController();
  readonly #figures = new Map<string, RemovalFigures>();
  /** Storages that may have entries of a field: those without a time to live are emptied once. */
  readonly #followed = new Set<string>();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: ExpiredRemoverParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run().catch(() => undefined);
  }

  /** Ends it after the present step. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  /** Undefined for an index whose records do not expire. */
  figures(indexId: string): RemovalFigures | undefined {
    return this.#figures.get(indexId);
  }

  /** Removes all that has expired by now. */
  async look(): Promise<void> {
    const indexes = this.#parts.indexes();
    const ids = new Set(indexes.map(({ id }) => id));
    for (const id of this.#figures.keys()) if (!ids.has(id)) this.#figures.delete(id);
    for (const index of indexes) {
      if (this.#closing.signal.aborted) return;
      if (!isReady(index.state)) continue;
      try {
        await this.#removeFrom(index);
      } catch (error) {
        if (!isPassing(error)) this.#parts.onFailure(error, index);
      }
    }
  }

  async #run(): Promise<void> {
    const { lookMs = LOOK_MS } = this.#parts;
    for (let tookMs = 0; ; ) {
      await this.#pause(Math.max(lookMs, tookMs / DUTY - tookMs));
      const from = performance.now();
      await this.look();
      tookMs = performance.now() - from;
    }
  }

  async #removeFrom(index: Index): Promise<void> {
    const { engine, clock = systemClock, pauseMs = PAUSE_MS } = this.#parts;
    const field = index.timeToLive?.field ?? null;
    const storage = storageIdOf(index);
    if (field === null && !this.#followed.has(storage)) return;
    const writer = engine.writer(profileOf(index));
    // Whoever ends or changes the setting keeps what was not removed yet.
    for (let isDone = false; !isDone && this.#isStill(index); ) {
      const removal = await writer.removeExpired({ field, now: clock(), recordsMax: RECORDS_A_STEP });
      const removed = (this.#figures.get(index.id)?.removed ?? 0) + removal.removed;
      this.#figures.set(index.id, { removed, oldest: removal.oldest });
      if (field !== null) this.#followed.add(storage);
      isDone = removal.isDone;
      if (!isDone) await this.#pause(pauseMs);
    }
    if (field !== null || !this.#isStill(index)) return;
    this.#followed.delete(storage);
    this.#figures.delete(index.id);
  }

  /** Whether an index has the same setting, and the same records, as when they were looked at. */
  #isStill(index: Index): boolean {
    const now = this.#parts.indexes().find(({ id }) => id === index.id);
    return (
      now !== undefined &&
      storageIdOf(now) === storageIdOf(index) &&
      isDeepStrictEqual(now.timeToLive, index.timeToLive)
    );
  }

  /** @throws the reason when it is closed */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal, ref: false });
  }
}

/** A later look tries again: the index is being deleted, or its writer has too much to do. */
function isPassing(error: unknown): boolean {
  const isAborted = error instanceof Error && error.name === 'AbortError';
  return isAborted || error instanceof Fault;
}
