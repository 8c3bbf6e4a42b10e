// A number of slots for work that shares something scarce, few of which any one key may have. What finds none waits its turn.

export interface KeyedSlotOptions {
  /** Works that run at a time. */
  readonly slots: number;
  /** Of the same key. */
  readonly slotsOfKey: number;
}

interface Waiting {
  readonly key: string;
  start(): void;
}

export class KeyedSlots {
  readonly #options: KeyedSlotOptions;
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();
  readonly #running = new Map<string, number>();
  #taken = 0;

  constructor(options: KeyedSlotOptions) {
    this.#options = options;
  }

  /** Runs `work` when a slot is free for the key. @throws the signal's reason while it waits; what `work` throws */
  async run<Value>(key: string, signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    signal.throwIfAborted();
    if (this.#isFreeFor(key)) this.#add(key, 1);
    else await this.#turn(key, signal);
    try {
      return await work();
    } finally {
      this.#add(key, -1);
      this.#startNext();
    }
  }

  #isFreeFor(key: string): boolean {
    const { slots, slotsOfKey } = this.#options;
    return this.#taken < slots && (this.#running.get(key) ?? 0) < slotsOfKey;
  }

  #add(key: string, slots: 1 | -1): void {
    this.#taken += slots;
    const running = (this.#running.get(key) ?? 0) + slots;
    if (running === 0) this.#running.delete(key);
    else this.#running.set(key, running);
  }

  #turn(key: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.delete(waiting);
      reject(signal.reason);
    };
    const waiting: Waiting = {
      key,
      start: () => {
        signal.removeEventListener('abort', leave);
        resolve();
      },
    };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', leave, { once: true });
    return promise;
  }

  #startNext(): void {
    for (const waiting of this.#waiting) {
      if (!this.#isFreeFor(waiting.key)) continue;
      this.#waiting.delete(waiting);
      this.#add(waiting.key, 1);
      waiting.start();
      return;
    }
  }
}
