// The shares of engine threads by name, and the virtual time of their queue.
import { ThreadShare } from './thread-share.ts';

/** Idle shares beyond this number are forgotten, the one used longest ago first. */
const IDLE_SHARES_MAX = 1_024;

export class ShareTable<Slot> {
  readonly #shares = new Map<string, ThreadShare<Slot>>();
  readonly #now: () => number;
  /** The time used by the share that was served last, in milliseconds. */
  #virtualMs = 0;

  /** @param now in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** In the order of their last requests. */
  entries(): Iterable<readonly [name: string, share: ThreadShare<Slot>]> {
    return this.#shares;
  }

  values(): Iterable<ThreadShare<Slot>> {
    return this.#shares.values();
  }

  /** The share of a request that arrives. */
  of(name: string): ThreadShare<Slot> {
    const now = this.#now();
    const known = this.#shares.get(name);
    const share = known ?? new ThreadShare<Slot>(this.#virtualMs, now);
    // What an idle share has not used is not saved up.
    if (share.isIdle) share.usedMs = Math.max(share.usedMs, this.#virtualMs);
    share.lastSeen = now;
    this.#shares.delete(name);
    this.#shares.set(name, share);
    if (known === undefined && this.#shares.size > IDLE_SHARES_MAX) this.#forgetIdle();
    return share;
  }

  /** Charges a share for a request that starts. @returns what it was charged, in milliseconds */
  charge(share: ThreadShare<Slot>): number {
    this.#virtualMs = Math.max(this.#virtualMs, share.usedMs);
    return share.charge();
  }

  #forgetIdle(): void {
    for (const [name, share] of this.#shares) {
      if (this.#shares.size <= IDLE_SHARES_MAX) return;
      if (share.isIdle) this.#shares.delete(name);
    }
  }
}
