// A set of cells for filters with many values: cuckoo hashing (Pagh and Rodler, 2001), so that a lookup takes two loads
// and no branch to mispredict.
import { randomInt } from 'node:crypto';
import {
  CELL_MIX_FIRST,
  CELL_MIX_HIGH,
  CELL_MIX_LOW,
  CELL_MIX_SECOND,
  CELL_SET_KEY_HIGH,
  CELL_SET_KEY_LOW,
  CELL_SET_SHIFT,
  CELL_SET_SKETCH,
  CELL_SET_SKETCH_SHIFT,
  CELL_SET_TABLE,
} from '../kernels/constants.ts';

/** A cell that no value has marks a free bucket. */
const FREE_WORD = 0x7fffffff;
const FREE_CELL = (BigInt(FREE_WORD) << 32n) | BigInt(FREE_WORD);

/** Minimum buckets per cell; above 2, cuckoo hashing nearly always succeeds. */
const CAPACITY_FACTOR = 2.5;
/** Minimum bits of the sketch per cell: it rejects seven of eight cells that are not in the set. */
const SKETCH_FACTOR = 8;
const MOVES_MAX = 100;

/** Bytes that `store` takes for sets of so many cells, but for one in thousands. */
export function storedBytes(cells: number): number {
  return CELL_SET_SKETCH + 2 ** sketchBits(cells) / 8 + 2 ** tableBits(cells) * 8;
}

function tableBits(cells: number): number {
  return Math.max(4, Math.ceil(Math.log2(cells * CAPACITY_FACTOR)));
}

function sketchBits(cells: number): number {
  return Math.max(6, Math.ceil(Math.log2(cells * SKETCH_FACTOR)));
}

export class CellSet {
  /** Each cell is at the `firstBucket` or the `secondBucket` of its words. */
  table = new BigInt64Array(0);
  shift = 0;
  /** Keys are drawn anew for each content, because callers choose the values. */
  keyLow = 0;
  keyHigh = 0;
  #words = new Uint32Array(0);
  /** What it was filled with. */
  #filled: Uint32Array = new Uint32Array(0);

  /** Replaces the content. */
  fill(cells: BigInt64Array): void {
    const words = new Uint32Array(cells.buffer, cells.byteOffset, cells.length * 2);
    this.#filled = words;
    let bits = tableBits(cells.length);
    while (!this.#tryFill(words, bits)) bits++;
  }

  /** Stores the content for the kernel, from `address` on (8-byte aligned). @returns false when `bytes` do not suffice */
  store(
    buffer: ArrayBufferLike,
    { address, bytes }: { readonly address: number; readonly bytes: number },
  ): boolean {
    const cells = this.#filled.length / 2;
    const sketchBytes = 2 ** sketchBits(cells) / 8;
    const tableWords = 2 ** (32 - this.shift) * 2;
    if (CELL_SET_SKETCH + sketchBytes + tableWords * 4 > bytes) return false;
    const words = new Uint32Array(buffer, address, (CELL_SET_SKETCH + sketchBytes) / 4 + tableWords);
    words[CELL_SET_KEY_LOW / 4] = this.keyLow;
    words[CELL_SET_KEY_HIGH / 4] = this.keyHigh;
    words[CELL_SET_SHIFT / 4] = this.shift;
    words[CELL_SET_SKETCH_SHIFT / 4] = 32 - sketchBits(cells);
    words[CELL_SET_TABLE / 4] = CELL_SET_SKETCH + sketchBytes;
    this.#sketch(words.subarray(CELL_SET_SKETCH / 4).fill(0, 0, sketchBytes / 4), 32 - sketchBits(cells));
    words.set(this.#words.subarray(0, tableWords), (CELL_SET_SKETCH + sketchBytes) / 4);
    return true;
  }

  /** Sets the bit of each cell's hash. */
  #sketch(sketch: Uint32Array, shift: number): void {
    const filled = this.#filled;
    for (let at = 0; at < filled.length; at += 2) {
      const mixed = mixWords((filled[at] ?? 0) ^ this.keyLow, (filled[at + 1] ?? 0) ^ this.keyHigh);
      const hash = firstBucket(mixed, shift);
      sketch[hash >>> 5] = (sketch[hash >>> 5] ?? 0) | (1 << (hash & 31));
    }
  }

  #tryFill(words: Uint32Array, bits: number): boolean {
    const capacity = 2 ** bits;
    if (this.table.length < capacity) {
      this.table = new BigInt64Array(capacity);
      this.#words = new Uint32Array(this.table.buffer);
    }
    this.table.fill(FREE_CELL, 0, capacity);
    this.shift = 32 - bits;
    this.keyLow = randomInt(2 ** 32);
    this.keyHigh = randomInt(2 ** 32);
    for (let at = 0; at < words.length; at += 2) {
      if (!this.#add(words[at] ?? 0, words[at + 1] ?? 0)) return false;
    }
    return true;
  }

  /** Puts a cell in one of its buckets; a cell that it displaces moves on to its other bucket. */
  #add(cellLow: number, cellHigh: number): boolean {
    const words = this.#words;
    let low = cellLow;
    let high = cellHigh;
    let bucket = -1;
    for (let move = 0; move < MOVES_MAX; move++) {
      const mixed = mixWords(low ^ this.keyLow, high ^ this.keyHigh);
      const first = firstBucket(mixed, this.shift);
      const second = secondBucket(mixed, this.shift);
      if (this.#canTake(first, low, high)) bucket = first;
      else if (this.#canTake(second, low, high)) bucket = second;
      else bucket = bucket === first ? second : first;
      const oldLow = words[bucket * 2] ?? 0;
      const oldHigh = words[bucket * 2 + 1] ?? 0;
      words[bucket * 2] = low;
      words[bucket * 2 + 1] = high;
      if (oldHigh === FREE_WORD || (oldHigh === high && oldLow === low)) return true;
      low = oldLow;
      high = oldHigh;
    }
    return false;
  }

  #canTake(bucket: number, low: number, high: number): boolean {
    const found = this.#words[bucket * 2 + 1];
    return found === FREE_WORD || (found === high && this.#words[bucket * 2] === low);
  }
}

/** The hash of a cell's words, after each was xored with its key. */
export function mixWords(low: number, high: number): number {
  const mixed = Math.imul(low, CELL_MIX_LOW) ^ Math.imul(high, CELL_MIX_HIGH);
  return Math.imul(mixed ^ (mixed >>> 15), CELL_MIX_FIRST);
}

export function firstBucket(mixed: number, shift: number): number {
  return mixed >>> shift;
}

export function secondBucket(mixed: number, shift: number): number {
  return Math.imul(mixed, CELL_MIX_SECOND) >>> shift;
}
