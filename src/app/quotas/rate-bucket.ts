// A token bucket that may be overdrawn once: a large request is not refused for its size, but those after it wait.

const SECOND_MS = 1_000;

export class RateBucket {
  #left: number;
  #at: number;

  /** @param perSecond what it holds, and gets back each second */
  constructor(perSecond: number, now: number) {
    this.#left = perSecond;
    this.#at = now;
  }

  /** Takes an amount where anything is left. @returns 0, or in how many whole seconds something will be left */
  take(amount: number, perSecond: number, now: number): number {
    this.#left = Math.min(perSecond, this.#left + ((now - this.#at) / SECOND_MS) * perSecond);
    this.#at = now;
    if (this.#left <= 0) return Math.max(1, Math.ceil(-this.#left / perSecond));
    this.#left -= amount;
    return 0;
  }
}
