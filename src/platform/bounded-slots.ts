// A number of slots for work that shares something scarce: what finds none waits its turn, up to a bound.
import { overloaded } from '../domain/overload.ts';

export interface SlotOptions {
  /** Works that run at a time. */
  readonly slots: number;
  /** Works that may wait. */
  readonly waitingMax: number;
}

export class BoundedSlots {
  readonly #options: SlotOptions;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  /** Runs `work` when a slot is free. @throws overloaded when too many wait already */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const free = await this.take();
    try {
      return await work();
    } finally {
      free();
    }
  }

  /** Returns what frees the slot; safe to repeat. @throws overloaded */
  async take(): Promise<() => void> {
    const { slots, waitingMax } = this.#options;
    if (this.#taken < slots) this.#taken++;
    else if (this.#waiting.length >= waitingMax) throw overloaded();
    // The slot passes from hand to hand, so nobody overtakes.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken--;
      else next();
    };
  }
}
