// The text of an answer as it is written: a string while it is short, and from then on bytes, which can move to another
// thread and are never copied as a whole.
import { Buffer } from 'node:buffer';
import { fault } from '../faults.ts';
import { writtenList } from './float-text/plain-list.ts';
import { float32ArrayText } from './float32-text.ts';

/** Texts of this length or more become bytes; a shorter one is copied between threads faster than a buffer moves. */
export const BYTES_FROM_LENGTH = 65_536;
/** Short texts are collected up to this length, and then written together. */
const COLLECTED_LENGTH = 8_192;
const FIRST_BYTES = 4 * BYTES_FROM_LENGTH;
/** Of a character of a string, in UTF-8. */
const CHARACTER_BYTES_MAX = 3;
/** Of an answer without a bound: more than any memory gives. */
const UNBOUNDED_BYTES = 2 ** 44;
const MEBIBYTE = 2 ** 20;

export class AnswerText {
  readonly #bytesMax: number;
  #collected = '';
  /** What came before, in UTF-8, once there was much. */
  #bytes: Buffer<ArrayBuffer> | null = null;
  #end = 0;

  /** @param bytesMax of the text, and of the memory that it takes while it is written; default none */
  constructor(bytesMax: number = UNBOUNDED_BYTES) {
    this.#bytesMax = bytesMax;
  }

  /** @throws fetch-too-big, here or in `finish`; the text is lost then */
  add(text: string): void {
    this.#collected += text;
    const length = this.#bytes === null ? BYTES_FROM_LENGTH : COLLECTED_LENGTH;
    if (this.#collected.length >= length) this.#write();
  }

  /** Adds a JSON list of numbers, each in the fewest digits that give it back. @throws fetch-too-big */
  addFloats(values: Float32Array): void {
    const written = this.#bytes === null ? null : writtenList(values);
    if (written === null) {
      this.add(float32ArrayText(values));
      return;
    }
    this.#collected += '[';
    this.#write();
    this.#room(written.length).set(written, this.#end);
    this.#end += written.length;
    this.#collected = ']';
  }

  /** Bytes so far, or fewer; `bytes` counts them all. */
  get bytesMin(): number {
    return this.#end + this.#collected.length;
  }

  get bytes(): number {
    return this.#end + Buffer.byteLength(this.#collected);
  }

  /** Takes back what was added beyond so many bytes; a number that `bytes` had. */
  cut(bytes: number): void {
    if (bytes === this.bytes) return;
    this.#write();
    this.#end = bytes;
  }

  /** The whole text. Bytes have their buffer to themselves. */
  finish(): string | Uint8Array<ArrayBuffer> {
    if (this.#bytes === null) return this.#collected;
    this.#write();
    return this.#bytes.subarray(0, this.#end);
  }

  #write(): void {
    const text = this.#collected;
    this.#collected = '';
    const most = text.length * CHARACTER_BYTES_MAX;
    const surelyFits = this.#bytes !== null && this.#end + most <= this.#bytes.length;
    const bytes = this.#room(surelyFits ? most : Buffer.byteLength(text));
    this.#end += bytes.write(text, this.#end);
  }

  /** The buffer, with room for more bytes. @throws fetch-too-big */
  #room(more: number): Buffer<ArrayBuffer> {
    const known = this.#bytes;
    const needed = this.#end + more;
    if (known !== null && needed <= known.length) return known;
    if (needed > this.#bytesMax) {
      known?.buffer.transfer(0);
      throw fault('fetch-too-big', { megabytes: this.#bytesMax / MEBIBYTE });
    }
    const larger = Buffer.allocUnsafeSlow(this.#sizeFor(needed));
    if (known !== null) {
      larger.set(known.subarray(0, this.#end));
      known.buffer.transfer(0);
    }
    this.#bytes = larger;
    return larger;
  }

  /**
   * The bound, halved as often as leaves enough: what is copied to a larger buffer is then at most half of the bound, and
   * the system gives memory only to what is written.
   */
  #sizeFor(bytes: number): number {
    let size = this.#bytesMax;
    while (size / 2 >= Math.max(bytes, FIRST_BYTES)) size /= 2;
    return Math.ceil(size);
  }
}
