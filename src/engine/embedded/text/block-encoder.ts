// Encodes a sealed block of a posting list: see text-lists-constants.ts.
import { densityOf } from '../../../domain/full-text/scoring/bm25.ts';
import {
  TEXT_BIT_SET_MAX,
  TEXT_BLOCK_BIT_SET,
  TEXT_BLOCK_BYTE_POSITIONS,
  TEXT_BLOCK_COUNT,
  TEXT_BLOCK_COUNT_BITS,
  TEXT_BLOCK_FORM,
  TEXT_BLOCK_HEADER_BYTES,
  TEXT_BLOCK_POSTINGS,
  TEXT_PACKED_BYTES_A_BIT,
} from '../kernels/text-lists-constants.ts';
import { VarintBuffer } from './varint.ts';

const LANES = 4;
const WORD_BITS = 32;
const SET_WORD_BITS = 64;

/** What bounds the saturations of a block. */
export interface BlockSummary {
  /** Highest of its postings: see text-lists-constants.ts. */
  readonly density: number;
  readonly average: number;
}

/** Densities are rounded to f32. */
const DENSITY_SLACK = 1.000001;

export class BlockEncoder {
  count = 0;
  #density = 0;
  #average = 1;
  readonly #differences = new Uint32Array(TEXT_BLOCK_POSTINGS);
  readonly #counts = new Uint32Array(TEXT_BLOCK_POSTINGS);
  readonly #positions = new VarintBuffer();
  #highBits = 0;
  /** The last slot after the one before the block. */
  #span = 0;
  #bytes = new Uint8Array(0);

  /** @param average length of the field, about */
  clear(average: number): void {
    this.count = 0;
    this.#density = 0;
    this.#average = average;
    this.#positions.clear();
    this.#highBits = 0;
    this.#span = 0;
    this.#differences.fill(0);
    this.#counts.fill(0);
  }

  /**
   * Adds a posting.
   * @param difference of its slot to the one before
   * @param length of its field
   * @param positions varints, `from` up to `until`
   */
  add(
    difference: number,
    { occurrences, length }: { readonly occurrences: number; readonly length: number },
    positions: { readonly bytes: Uint8Array; readonly from: number; readonly until: number },
  ): void {
    this.#differences[this.count] = difference;
    this.#span += difference;
    this.#counts[this.count] = occurrences - 1;
    this.count++;
    this.#density = Math.max(this.#density, densityOf(occurrences, length / this.#average));
    for (let at = positions.from; at < positions.until; at++) {
      const byte = positions.bytes[at] ?? 0;
      this.#highBits |= byte;
      this.#positions.pushByte(byte);
    }
  }

  get summary(): BlockSummary {
    return { density: this.#density * DENSITY_SLACK, average: this.#average };
  }

  /** The bytes, valid until the next call. */
  finish(): { readonly bytes: Uint8Array; readonly length: number } {
    const isBitSet = this.#span < TEXT_BIT_SET_MAX;
    const slotBits = bitsOf(this.#differences);
    const setWords = Math.ceil((this.#span + 1) / SET_WORD_BITS);
    const countBits = bitsOf(this.#counts);
    const counts = TEXT_BLOCK_HEADER_BYTES + (isBitSet ? 8 * setWords : TEXT_PACKED_BYTES_A_BIT * slotBits);
    const positions = counts + TEXT_PACKED_BYTES_A_BIT * countBits;
    const length = positions + this.#positions.length;
    if (this.#bytes.length < length) this.#bytes = new Uint8Array(2 * length);
    const bytes = this.#bytes;
    const slots = bytes.subarray(TEXT_BLOCK_HEADER_BYTES, counts);
    bytes[TEXT_BLOCK_FORM] = isBitSet ? TEXT_BLOCK_BIT_SET + setWords : slotBits;
    bytes[TEXT_BLOCK_COUNT_BITS] = countBits;
    bytes[TEXT_BLOCK_COUNT] = this.count;
    bytes[TEXT_BLOCK_BYTE_POSITIONS] = this.#highBits < 0x80 ? 1 : 0;
    if (isBitSet) this.#setBits(slots);
    else pack(this.#differences, slotBits, slots);
    pack(this.#counts, countBits, bytes.subarray(counts));
    bytes.set(this.#positions.bytes.subarray(0, this.#positions.length), positions);
    return { bytes, length };
  }

  #setBits(into: Uint8Array): void {
    into.fill(0);
    let bit = 0;
    for (let at = 0; at < this.count; at++) {
      bit += this.#differences[at] ?? 0;
      into[bit >>> 3] = (into[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }
}

/** Bits of the largest number. */
function bitsOf(numbers: Uint32Array): number {
  let all = 0;
  for (let at = 0; at < TEXT_BLOCK_POSTINGS; at++) all |= numbers[at] ?? 0;
  return WORD_BITS - Math.clz32(all);
}

const words = new Uint32Array(TEXT_BLOCK_POSTINGS);
const wordBytes = new Uint8Array(words.buffer);

/** Packs 128 numbers of so many bits: number 4 i + lane goes to the words of its lane, one bit string a lane. */
function pack(numbers: Uint32Array, bits: number, into: Uint8Array): void {
  words.fill(0);
  for (let at = 0; at < TEXT_BLOCK_POSTINGS; at++) {
    const number = numbers[at] ?? 0;
    const bit = (at >>> 2) * bits;
    const word = (bit >>> 5) * LANES + (at & 3);
    const shift = bit & 31;
    words[word] = (words[word] ?? 0) | (number << shift);
    if (shift + bits > WORD_BITS)
      words[word + LANES] = (words[word + LANES] ?? 0) | (number >>> (WORD_BITS - shift));
  }
  into.set(wordBytes.subarray(0, bits * TEXT_PACKED_BYTES_A_BIT));
}

/** Writes a summary, or joins it with the one that is there: densities grow at most as the average does. */
export function writeSummary(
  bytes: Buffer,
  at: number,
  { density, average }: BlockSummary,
  joins: boolean,
): void {
  const before = joins ? bytes.readFloatLE(at) * Math.max(1, average / bytes.readFloatLE(at + 4)) : 0;
  bytes.writeFloatLE(Math.max(before, density), at);
  bytes.writeFloatLE(average, at + 4);
}
