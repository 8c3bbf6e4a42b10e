// HalfSipHash-2-4 with a 64-bit result: a keyed hash, so that nobody without the key can construct colliding values.

/** Hashes the UTF-16LE bytes of strings. The result is in `low` and `high` (uint32). */
export class KeyedHash {
  low = 0;
  high = 0;
  readonly #keyLow: number;
  readonly #keyHigh: number;
  #v0 = 0;
  #v1 = 0;
  #v2 = 0;
  #v3 = 0;

  /** The halves of the key (uint32), which callers never see. */
  constructor(keyLow: number, keyHigh: number) {
    this.#keyLow = keyLow;
    this.#keyHigh = keyHigh;
  }

  hash(text: string): void {
    this.#v0 = this.#keyLow;
    this.#v1 = this.#keyHigh ^ 0xee;
    this.#v2 = this.#keyLow ^ 0x6c796765;
    this.#v3 = this.#keyHigh ^ 0x74656462;
    const odd = text.length & 1;
    const paired = text.length - odd;
    for (let at = 0; at < paired; at += 2)
      this.#absorb(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
    // The last word holds the odd unit and, on top, the length in bytes modulo 256.
    this.#absorb((odd === 1 ? text.charCodeAt(paired) : 0) | (text.length << 25));
    this.#v2 ^= 0xee;
    this.#mix(4);
    this.low = (this.#v1 ^ this.#v3) >>> 0;
    this.#v1 ^= 0xdd;
    this.#mix(4);
    this.high = (this.#v1 ^ this.#v3) >>> 0;
  }

  #absorb(word: number): void {
    this.#v3 ^= word;
    this.#mix(2);
    this.#v0 ^= word;
  }

  #mix(rounds: number): void {
    let v0 = this.#v0;
    let v1 = this.#v1;
    let v2 = this.#v2;
    let v3 = this.#v3;
    for (let round = 0; round < rounds; round++) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    this.#v0 = v0;
    this.#v1 = v1;
    this.#v2 = v2;
    this.#v3 = v3;
  }
}
