// The bound of the smallest of many keys, found in one pass and in memory for as many as are wanted.

/** The smallest keys of many, equal ones counted one by one. Each takes at most log2(limit) moves. */
export class SmallestKeys {
  /** A heap with the largest on top. */
  readonly #keys: Float64Array;
  #size = 0;

  /** @param limit 1 or more @param keys room for as many */
  constructor(limit: number, keys: Float64Array = new Float64Array(limit)) {
    this.#keys = keys;
  }

  /** The largest of the smallest keys; -Infinity when there are none. */
  get largest(): number {
    return this.#size === 0 ? Number.NEGATIVE_INFINITY : (this.#keys[0] ?? 0);
  }

  add(key: number): void {
    if (this.#size < this.#keys.length) this.#siftUp(key);
    else if (key < this.largest) this.#siftDown(key);
  }

  #siftUp(key: number): void {
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#keys[parent] ?? 0;
      if (above >= key) break;
      this.#keys[at] = above;
      at = parent;
    }
    this.#keys[at] = key;
  }

  /** In place of the largest. */
  #siftDown(key: number): void {
    let at = 0;
    for (let child = 1; child < this.#size; child = 2 * at + 1) {
      if (child + 1 < this.#size && (this.#keys[child + 1] ?? 0) > (this.#keys[child] ?? 0)) child++;
      const below = this.#keys[child] ?? 0;
      if (below <= key) break;
      this.#keys[at] = below;
      at = child;
    }
    this.#keys[at] = key;
  }
}
