// Runs a limited number of tasks at a time, interactive ones before bulk ones.

export type QueueName = 'interactive' | 'bulk';

interface Waiting {
  readonly start: () => void;
  readonly drop: () => void;
}

export class WorkQueue {
  readonly #parallelMax: number;
  readonly #queues: Readonly<Record<QueueName, Set<Waiting>>> = { interactive: new Set(), bulk: new Set() };
  #running = 0;

  constructor(parallelMax: number) {
    this.#parallelMax = parallelMax;
  }

  /** Rejects with the signal's reason if it aborts before the task starts, which then never runs. */
  async run<Result>(queue: QueueName, task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#turn(queue, signal);
    try {
      return await task();
    } finally {
      this.#running--;
      this.#startNext();
    }
  }

  #turn(queue: QueueName, signal: AbortSignal): Promise<void> {
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
          this.#queues[queue].delete(waiting);
          reject(signal.reason);
        },
      };
      this.#queues[queue].add(waiting);
      signal.addEventListener('abort', waiting.drop, { once: true });
    });
  }

  #startNext(): void {
    for (const queue of [this.#queues.interactive, this.#queues.bulk]) {
      for (const waiting of queue) {
        queue.delete(waiting);
        this.#running++;
        waiting.start();
        return;
      }
    }
  }
}
