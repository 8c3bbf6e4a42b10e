// A seeded source of choices for generated texts and queries.

/** Numbers of the generator mulberry32; the same seed gives the same choices. */
export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 up to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  of<Each>(list: readonly Each[]): Each {
    const chosen = list[this.whole(0, list.length - 1)];
    if (chosen === undefined) throw new RangeError('nothing to choose from');
    return chosen;
  }

  isTrue(probability: number): boolean {
    return this.next() < probability;
  }

  times<Each>(count: number, make: () => Each): readonly Each[] {
    return Array.from({ length: count }, make);
  }
}
