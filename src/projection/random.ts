// Random numbers of a fixed seed: the same records give the same layout.

/** Marsaglia's xorshift generator of 32 bits ("Xorshift RNGs", 2003): fast, and good enough to sample. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** A 32-bit integer, never 0. */
  next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x >>> 0;
  }

  /** From 0 to `count - 1`. */
  below(count: number): number {
    // A product instead of a remainder, which takes several times as long.
    return Math.floor(this.next() * (count / 2 ** 32));
  }
}

/** Mixes the bits of a number: the finalizer of MurmurHash3. */
export function mixed(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
