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

  /** @returns 0 where anything is left, or in how many whole seconds something will be */
  secondsUntilLeft(perSecond: number, now: number): number {
    this.#left = Math.min(perSecond, this.#left + ((now - this.#at) / SECOND_MS) * perSecond);
    this.#at = now;
    return this.#left > 0 ? 0 : Math.max(1, Math.ceil(-this.#left / perSecond));
  }

  /** Takes an amount, which may be more than is left. */
  take(amount: number): void {
    this.#left -= amount;
  }
}
