// Removes the rows of namespaces that are gone, in the background: on one node at a time, and again after a restart.
import { Fault } from '../../domain/faults.ts';
import { DelayedWork } from '../../platform/delayed-work.ts';
import type { Database } from './database.ts';
import { type RemovalPosition, removeStep } from './removals.ts';

/** How soon a node goes on with what another one has left, or what an outage has interrupted. */
const POLL_MS = 30_000;
const STEP = 'step';

export class NamespaceRemover {
  readonly #work: DelayedWork;
  readonly #database: Pick<Database, 'transaction'>;
  #position: RemovalPosition | null = null;
  #isRunning = false;
  #isWoken = false;

  /** @param onError is told of errors that are no outages */
  constructor(database: Pick<Database, 'transaction'>, onError: (error: unknown) => void) {
    this.#database = database;
    const onFailure = (error: unknown) => {
      if (!(error instanceof Fault)) onError(error);
    };
    this.#work = new DelayedWork({ retryMilliseconds: POLL_MS, onFailure });
  }

  /** Looks for something to remove: now, and from then on every now and then. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isRunning) this.#plan(0);
  }

  /** Ends after the running step. */
  close(): Promise<void> {
    return this.#work.stop();
  }

  #plan(delayMs: number): void {
    this.#work.plan(STEP, delayMs, () => this.#step());
  }

  /** The pause after a step is as long as the step: half of one connection is busy at most. */
  async #step(): Promise<void> {
    this.#isRunning = true;
    this.#isWoken = false;
    const started = performance.now();
    try {
      const next = await this.#database.transaction((client) => removeStep(client, this.#position));
      this.#position = typeof next === 'string' ? null : next;
      const isIdle = this.#position === null && !this.#isWoken;
      this.#plan(isIdle ? POLL_MS : performance.now() - started);
    } finally {
      this.#isRunning = false;
    }
  }
}
