// The best k of a stream of scored slots, and those that tie with the last of them, so that ties can be broken by id.

export interface ScoredSlot {
  /** Higher is better. */
  readonly key: number;
  readonly slot: number;
}

export class TopK {
  readonly capacity: number;
  /** Min-heap of the best keys. */
  readonly #keys: number[] = [];
  #scored: ScoredSlot[] = [];

  /** `capacity` is 1 or more. */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** No key below this is among the best; -Infinity below the capacity. */
  get bound(): number {
    return this.#keys.length < this.capacity ? Number.NEGATIVE_INFINITY : (this.#keys[0] ?? 0);
  }

  /** How many may be offered before there is a bound. */
  get room(): number {
    return this.capacity - this.#keys.length;
  }

  offer(key: number, slot: number): void {
    if (key < this.bound) return;
    this.#scored.push({ key, slot });
    if (this.#keys.length < this.capacity) this.#siftUp(key);
    else this.#siftDown(key);
  }

  /** The best, and all that tie with the worst of them, in no order. */
  entries(): readonly ScoredSlot[] {
    const { bound } = this;
    this.#scored = this.#scored.filter((entry) => entry.key >= bound);
    return this.#scored;
  }

  #siftUp(key: number): void {
    let at = this.#keys.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#keys[parent] ?? 0;
      if (above <= key) break;
      this.#keys[at] = above;
      at = parent;
    }
    this.#keys[at] = key;
  }

  #siftDown(key: number): void {
    let at = 0;
    for (let child = 1; child < this.#keys.length; child = 2 * at + 1) {
      if (child + 1 < this.#keys.length && (this.#keys[child + 1] ?? 0) < (this.#keys[child] ?? 0)) child++;
      const below = this.#keys[child] ?? 0;
      if (below >= key) break;
      this.#keys[at] = below;
      at = child;
    }
    this.#keys[at] = key;
  }
}
