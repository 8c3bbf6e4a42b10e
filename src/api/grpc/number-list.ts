// Grows a list of numbers from the pieces it comes in: nearly always one, which is then copied once and as a whole.

type Numbers = Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

const BYTES = 4;
const FIRST_ROOM = 8;

export class NumberList {
  #numbers: Numbers;
  #length = 0;

  /** @param empty a list of the kind to make */
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

  /** Numbers as they lie on the wire, little-endian like every processor that runs this. */
  append(bytes: Uint8Array): void {
    const count = bytes.byteLength / BYTES;
    this.#makeRoom(count);
    const { buffer } = this.#numbers;
    new Uint8Array(buffer).set(bytes, this.#length * BYTES);
    this.#length += count;
  }

  /** With a buffer of its own, of just its length. */
  finish(): Numbers {
    const { length } = this.#numbers;
    return length === this.#length ? this.#numbers : this.#numbers.slice(0, this.#length);
  }

  #makeRoom(count: number): void {
    const wanted = this.#length + count;
    if (wanted <= this.#numbers.length) return;
    // A first piece gets just its room. Afterwards by doubling, so that many small pieces cost no more than a large one.
    const isFirstPiece = this.#length === 0 && count > 1;
    const room = isFirstPiece ? count : Math.max(wanted, FIRST_ROOM, 2 * this.#length);
    const grown = this.#numbers instanceof Float32Array ? new Float32Array(room) : new Uint32Array(room);
    grown.set(this.#numbers.subarray(0, this.#length));
    this.#numbers = grown;
  }
}
