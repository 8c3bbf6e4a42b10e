// Decodes the slots of a sealed block of a posting list: see text-lists-constants.ts.
import {
  TEXT_BLOCK_BIT_SET,
  TEXT_BLOCK_COUNT,
  TEXT_BLOCK_COUNT_BITS,
  TEXT_BLOCK_FORM,
  TEXT_BLOCK_HEADER_BYTES,
  TEXT_BLOCK_POSTINGS,
  TEXT_PACKED_BYTES_A_BIT,
} from '../kernels/text-lists-constants.ts';
import type { SharedBytes } from './layout.ts';

const LANES = 4;
const WORD_BITS = 32;
/** Slots and counts take 32 bits at most. */
const PACKED_BYTES_MAX = 2 * WORD_BITS * TEXT_PACKED_BYTES_A_BIT;

export class BlockDecoder {
  /** The slots of the block that was opened last: the first `count` of them. */
  readonly slots = new Uint32Array(TEXT_BLOCK_POSTINGS);
  count = 0;
  /** A copy of the packed numbers, aligned. */
  readonly #packed = new Uint32Array(PACKED_BYTES_MAX / 4);
  readonly #packedBytes = new Uint8Array(this.#packed.buffer);
  #countBits = 0;
  /** Number of the first word of the counts. */
  #counts = 0;

  /** @param address of the block. @param before the slot before the first, 0 for the first block */
  open(memory: SharedBytes, address: number, before: number): void {
    const bytes = memory.bytes(address + TEXT_BLOCK_HEADER_BYTES);
    const form = bytes[address + TEXT_BLOCK_FORM] ?? 0;
    this.count = bytes[address + TEXT_BLOCK_COUNT] ?? 0;
    this.#countBits = bytes[address + TEXT_BLOCK_COUNT_BITS] ?? 0;
    const isBitSet = form >= TEXT_BLOCK_BIT_SET;
    const slotBytes = isBitSet ? 8 * (form - TEXT_BLOCK_BIT_SET) : TEXT_PACKED_BYTES_A_BIT * form;
    this.#counts = slotBytes / 4;
    const start = address + TEXT_BLOCK_HEADER_BYTES;
    const length = slotBytes + TEXT_PACKED_BYTES_A_BIT * this.#countBits;
    this.#packedBytes.set(memory.bytes(start + length).subarray(start, start + length));
    if (isBitSet) this.#readSet(slotBytes / 4, before);
    else this.#readDifferences(form, before);
  }

  /** Whether the posting at a number has more than one occurrence. */
  isRepeated(at: number): boolean {
    return this.#countBits > 0 && this.#numberAt(this.#counts, this.#countBits, at) > 0;
  }

  #readSet(words: number, from: number): void {
    let count = 0;
    for (let word = 0; word < words; word++)
      for (let bits = this.#packed[word] ?? 0; bits !== 0; bits &= bits - 1)
        this.slots[count++] = from + WORD_BITS * word + 31 - Math.clz32(bits & -bits);
  }

  #readDifferences(bits: number, before: number): void {
    let slot = before;
    for (let at = 0; at < this.count; at++) {
      if (bits > 0) slot += this.#numberAt(0, bits, at);
      this.slots[at] = slot;
    }
  }

  /** A number of so many packed bits. @param first word of the packed numbers */
  #numberAt(first: number, bits: number, at: number): number {
    const bit = (at >>> 2) * bits;
    const word = first + (bit >>> 5) * LANES + (at & 3);
    const shift = bit & 31;
    let number = (this.#packed[word] ?? 0) >>> shift;
    if (shift + bits > WORD_BITS) number |= (this.#packed[word + LANES] ?? 0) << (WORD_BITS - shift);
    return (number & (bits === WORD_BITS ? -1 : (1 << bits) - 1)) >>> 0;
  }
}
