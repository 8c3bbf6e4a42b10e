// Random numbers that come again with the same seed.

const DECIMALS = 10_000;

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** Components around `center`, with four decimals: short enough that answers give them back as sent. */
  vector(dimension: number, center = 0): readonly number[] {
    const component = () => (center * DECIMALS + this.below(2 * DECIMALS + 1) - DECIMALS) / DECIMALS;
    return Array.from({ length: dimension }, component);
  }
}
