// Runs tasks a few at a time; those of the fast lane go before the others.

export type Lane = 'fast' | 'bulk';

interface Waiting {
  readonly start: () => void;
  readonly drop: () => void;
}

export class WorkQueue {
  readonly #parallelMax: number;
  readonly #lanes: Readonly<Record<Lane, Set<Waiting>>> = { fast: new Set(), bulk: new Set() };
  #running = 0;

  constructor(parallelMax: number) {
    this.#parallelMax = parallelMax;
  }

  /** Rejects with the signal's reason when it aborts before the task begins; then the task never runs. */
  async run<Result>(lane: Lane, task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#turn(lane, signal);
    try {
      return await task();
    } finally {
      this.#running--;
      this.#startNext();
    }
  }

  #turn(lane: Lane, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < this.#parallelMax) {
      this.#running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          signal.removeEventListener('abort', waiting.drop);
          resolve();
        },
        drop: () => {
          this.#lanes[lane].delete(waiting);
          reject(signal.reason);
        },
      };
      this.#lanes[lane].add(waiting);
      signal.addEventListener('abort', waiting.drop, { once: true });
    });
  }

  #startNext(): void {
    for (const lane of [this.#lanes.fast, this.#lanes.bulk]) {
      for (const waiting of lane) {
        lane.delete(waiting);
        this.#running++;
        waiting.start();
        return;
      }
    }
  }
}
