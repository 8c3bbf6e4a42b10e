// Collects a list of numbers from its pieces: nearly always one, which is copied once and as a whole.

type Numbers = Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

const BYTES = 4;
const FIRST_CAPACITY = 8;

export class NumberList {
  #numbers: Numbers;
  #length = 0;

  /** @param empty an empty list of the kind to create */
  constructor(empty: Numbers) {
    this.#numbers = empty;
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    this.#makeRoom(1);
    this.#numbers[this.#length] = value;
    this.#length++;
  }

  /** Appends numbers as on the wire: little-endian, like every supported processor. */
  append(bytes: Uint8Array): void {
    const count = bytes.byteLength / BYTES;
    this.#makeRoom(count);
    const { buffer } = this.#numbers;
    new Uint8Array(buffer).set(bytes, this.#length * BYTES);
    this.#length += count;
  }

  /** The list in a buffer of its exact length. */
  finish(): Numbers {
    const { length } = this.#numbers;
    return length === this.#length ? this.#numbers : this.#numbers.slice(0, this.#length);
  }

  #makeRoom(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#numbers.length) return;
    // The first piece gets its exact capacity; later ones double it, so that many small pieces cost no more than a large one.
    const isFirstPiece = this.#length === 0 && count > 1;
    const capacity = isFirstPiece ? count : Math.max(needed, FIRST_CAPACITY, 2 * this.#length);
    const grown =
      this.#numbers instanceof Float32Array ? new Float32Array(capacity) : new Uint32Array(capacity);
    grown.set(this.#numbers.subarray(0, this.#length));
    this.#numbers = grown;
  }
}
