// The first of many items in an order, of which only as many are kept meanwhile as an answer takes.

export interface ItemsBound<Item> {
  /** As of `sort`; no two items are equal. */
  readonly compare: (a: Item, b: Item) => number;
  readonly limit: number;
  readonly bytesMax: number;
  readonly bytesOf: (item: Item) => number;
  /**
   * Items to keep beyond the limit before they are sorted, at least SLACK_MIN, its default. As many as the limit bound the
   * work: a sort takes one item for each two that it orders.
   */
  readonly slack?: number;
}

const SLACK_MIN = 1_000;

/**
 * Collects items in any order. Keeps at most `limit` of them, and none after the first one that begins beyond `bytesMax`:
 * whoever ends at the bytes learns from it that there are more. What is left out once, stays out: with more items, the
 * same or more bytes come before it.
 */
export class FirstItems<Item> {
  readonly #bound: ItemsBound<Item>;
  #kept: Item[] = [];
  #bytes = 0;
  #bytesToCut: number;
  /** The last one of those kept, once any was left out. */
  #last: Item | null = null;

  constructor(bound: ItemsBound<Item>) {
    this.#bound = bound;
    this.#bytesToCut = 2 * bound.bytesMax;
  }

  /** False once an item was left out. */
  get isAll(): boolean {
    return this.#last === null;
  }

  add(item: Item): void {
    const { compare, limit, bytesOf, slack = 0 } = this.#bound;
    if (this.#last !== null && compare(item, this.#last) > 0) return;
    this.#kept.push(item);
    this.#bytes += bytesOf(item);
    if (this.#kept.length > limit + Math.max(SLACK_MIN, slack) || this.#bytes > this.#bytesToCut) this.#cut();
  }

  /** In order. */
  finish(): readonly Item[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    const { compare, limit, bytesMax, bytesOf } = this.#bound;
    this.#kept.sort(compare);
    let [length, bytes] = [0, 0];
    for (const item of this.#kept) {
      if (length === limit) break;
      const isBeyond = bytes > bytesMax;
      bytes += bytesOf(item);
      length++;
      if (isBeyond) break;
    }
    if (length < this.#kept.length) this.#last = this.#kept[length - 1] ?? null;
    this.#kept = this.#kept.slice(0, length);
    this.#bytes = bytes;
    this.#bytesToCut = bytes + bytesMax;
  }
}
