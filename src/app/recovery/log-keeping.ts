// Removes from the recovery log what no kept moment needs, from time to time.
import type { Blobs } from '../../blobs/port.ts';
import { removeOldLog } from './retention.ts';
import type { ShippingState } from './shipping-state.ts';

const INTERVAL_MS = 3_600_000;

export interface LogKeepingParts {
  readonly blobs: Blobs;
  /** How long moments can be returned to. */
  readonly keptMs: number;
  /** The earliest moment that is being recovered, in milliseconds since 1970; null for none. */
  readonly neededMoment?: (() => Promise<number | null>) | undefined;
  readonly installation: () => Promise<string>;
  readonly isCopying: (copyId: string) => boolean;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
}

export class LogKeeping {
  readonly #parts: LogKeepingParts;
  #lastAt = Number.NEGATIVE_INFINITY;
  readonly #held = new Set<{ readonly moment: number }>();

  constructor(parts: LogKeepingParts) {
    this.#parts = parts;
  }

  /** Keeps what a moment needs until the returned function is called: a recovery to it is about to be stored. */
  hold(moment: number): () => void {
    const held = { moment };
    this.#held.add(held);
    return () => void this.#held.delete(held);
  }

  /** @returns the earliest moment that is kept, where something may have been removed; null where it is not time */
  async removeOld(state: ShippingState): Promise<number | null> {
    const { blobs, keptMs, neededMoment, isCopying, signal, elapsed } = this.#parts;
    if (elapsed() - this.#lastAt < INTERVAL_MS) return null;
    this.#lastAt = elapsed();
    const now = this.#parts.now();
    const installation = await this.#parts.installation();
    // What a recovery of an index reads is kept until it has ended. Those that are held are asked first: one becomes a job
    // meanwhile.
    const held = [...this.#held].map(({ moment }) => moment);
    const needed = (await neededMoment?.()) ?? now;
    const before = Math.min(now - keptMs, needed, ...held);
    await removeOldLog({ blobs, state, installation, now, before, isCopying, signal });
    return before;
  }
}
