// The indexes that were dropped lately: requests that were under way find none of them, and no thread makes them anew.

/** Nothing that knew an index before its drop goes on for so long. */
export const DROPPED_KEPT_MS = 60 * 60 * 1_000;

export class DroppedIndexes {
  /** When the drop of each ended, in time of performance.now(); infinite while it is under way. */
  readonly #ended = new Map<string, number>();

  /** Call before the drop. */
  begin(indexId: string): void {
    this.#ended.set(indexId, Number.POSITIVE_INFINITY);
  }

  /** Call when nothing is left of the index. */
  end(indexId: string): void {
    if (this.#ended.has(indexId)) this.#ended.set(indexId, performance.now());
  }

  /** @returns false when it is not known as dropped */
  forget(indexId: string): boolean {
    return this.#ended.delete(indexId);
  }

  ids(): readonly string[] {
    return [...this.#ended.keys()];
  }

  /** Those that may be forgotten. */
  old(): readonly string[] {
    const latest = performance.now() - DROPPED_KEPT_MS;
    return [...this.#ended].filter(([, at]) => at < latest).map(([indexId]) => indexId);
  }
}
