// Work that runs after a delay and is retried after each failure, until it succeeds or everything stops.

export interface DelayedWorkOptions {
  readonly retryMilliseconds: number;
  /** Called with each failure; the work is retried. */
  readonly onFailure: (error: unknown) => void;
}

export class DelayedWork {
  readonly #options: DelayedWorkOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: DelayedWorkOptions) {
    this.#options = options;
  }

  /** Schedules `work` for a key, in place of what was scheduled for it. */
  plan(key: string, delayMilliseconds: number, work: () => Promise<void>): void {
    this.cancel(key);
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.#start(key, work);
    }, delayMilliseconds);
    // Unfinished work resumes at the next start, so it must not keep the process alive.
    timer.unref();
    this.#timers.set(key, timer);
  }

  isPlanned(key: string): boolean {
    return this.#timers.has(key);
  }

  cancel(key: string): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }

  /** Cancels scheduled work and waits for running work. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const key of [...this.#timers.keys()]) this.cancel(key);
    await Promise.all(this.#running);
  }

  #start(key: string, work: () => Promise<void>): void {
    const run = work()
      .catch((error: unknown) => {
        this.#options.onFailure(error);
        this.plan(key, this.#options.retryMilliseconds, work);
      })
      .then(() => {
        this.#running.delete(run);
      });
    this.#running.add(run);
  }
}
