// Changes of a lone node whose commit may have happened, although its answer never came: what the node has in memory may
// be older than the catalog, and is read again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForeignChanges, Topic } from '../foreign-changes.ts';

const RETRY_MS = 250;

export interface UnconfirmedChangesOptions {
  /** Resolves when the outcome of every earlier change is there to be read. */
  readonly settled: () => Promise<void>;
  readonly retryMs?: number;
}

export class UnconfirmedChanges implements ForeignChanges {
  readonly #options: UnconfirmedChangesOptions;
  readonly #listeners = new Map<Topic, () => Promise<void>>();
  #isDue = false;
  #isReading = false;
  #isClosed = false;

  constructor(options: UnconfirmedChangesOptions) {
    this.#options = options;
  }

  listen(topic: Topic, listener: () => Promise<void>): void {
    this.#listeners.set(topic, listener);
  }

  /** Tells of one more: the listeners are called from now on, until all of them have read the state. */
  note(): void {
    this.#isDue = true;
    if (!this.#isReading) void this.#readAll();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      try {
        await this.#options.settled();
        for (const listener of this.#listeners.values()) await listener();
      } catch {
        // The database does not work yet.
        this.#isDue = true;
        await sleep(this.#options.retryMs ?? RETRY_MS, undefined, { ref: false });
      }
    }
    this.#isReading = false;
  }
}
