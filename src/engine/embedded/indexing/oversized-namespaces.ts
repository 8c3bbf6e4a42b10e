// Namespaces that do not fit in memory, or cannot be loaded: they are searched on disk until there is memory for them.

/** How often all of them are tried again, however little memory seems to be free. */
const RETRY_SECONDS = 300;

export class OversizedNamespaces {
  /** Frames that each needs, by namespace id. */
  readonly #needed = new Map<number, number>();
  readonly #onRetry: (namespaceId: number) => void;
  readonly #timer: NodeJS.Timeout;

  /** @param onRetry called for each that the next query is to load */
  constructor(onRetry: (namespaceId: number) => void) {
    this.#onRetry = onRetry;
    this.#timer = setInterval(() => this.retry(Number.POSITIVE_INFINITY), RETRY_SECONDS * 1_000).unref();
  }

  get ids(): readonly number[] {
    return [...this.#needed.keys()];
  }

  has(namespaceId: number): boolean {
    return this.#needed.has(namespaceId);
  }

  add(namespaceId: number, frames: number): void {
    this.#needed.set(namespaceId, frames);
  }

  remove(namespaceId: number): void {
    this.#needed.delete(namespaceId);
  }

  clear(): void {
    this.#needed.clear();
  }

  /** Lets the next query load those that need at most so many frames. */
  retry(frames: number): void {
    for (const [namespaceId, needed] of this.#needed) {
      if (needed > frames) continue;
      this.#needed.delete(namespaceId);
      this.#onRetry(namespaceId);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
