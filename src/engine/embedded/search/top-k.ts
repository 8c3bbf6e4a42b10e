// The best k of a stream of scored slots, and those that tie with the last of them, so that ties can be broken by id.

export interface ScoredSlot {
  /** Higher is better. */
  readonly key: number;
  readonly slot: number;
}

/** Where so many tie with the last of the best, no further ones are kept: those that are do as well. */
const TIED_MAX = 65_536;

export class TopK {
  readonly capacity: number;
  /** Min-heap of the best keys. */
  readonly #keys: number[] = [];
  #scored: ScoredSlot[] = [];
  /** The bound when what lies below it was last removed. */
  #cleanedAt = Number.NaN;

  /**
   * @param capacity 1 or more
   * @throws RangeError for anything else
   */
  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) throw new RangeError(`the best ${capacity}`);
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
    const { bound } = this;
    if (key < bound || (key === bound && this.#hasEnough())) return;
    this.#scored.push({ key, slot });
    if (this.#keys.length < this.capacity) this.#siftUp(key);
    else this.#siftDown(key);
  }

  /** The best, and those that tie with the worst of them (of many, only so many), in no order. */
  entries(): readonly ScoredSlot[] {
    const { bound } = this;
    this.#scored = this.#scored.filter((entry) => entry.key >= bound);
    return this.#scored;
  }

  /** True when there are too many besides the best even without what has fallen below the bound. */
  #hasEnough(): boolean {
    const most = this.capacity + TIED_MAX;
    if (this.#scored.length < most) return false;
    if (this.#cleanedAt === this.bound) return true;
    this.#cleanedAt = this.bound;
    return this.entries().length >= most;
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
