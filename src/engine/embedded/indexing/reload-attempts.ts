// When a namespace in memory may be loaded anew once more: a load that failed is likely to fail again, since a record of
// the namespace may be damaged.

const RETRY_MS = 300_000;

export class ReloadAttempts {
  readonly #now: () => number;
  /** By namespace as it is in memory: what replaces it has none. */
  readonly #last = new WeakMap<object, number>();

  /** @param now in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Notes an attempt to load the namespace anew. @returns false, and notes none, when there was one of late */
  begin(namespace: object): boolean {
    const isDue = this.#now() - (this.#last.get(namespace) ?? Number.NEGATIVE_INFINITY) >= RETRY_MS;
    if (isDue) this.#last.set(namespace, this.#now());
    return isDue;
  }
}
