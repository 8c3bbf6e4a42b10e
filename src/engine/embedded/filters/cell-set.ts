// A set of cells for filters with many values: cuckoo hashing (Pagh and Rodler, 2001), so that a lookup takes two loads
// and no branch to mispredict.
import { randomInt } from 'node:crypto';

/** A cell that no value has marks a free bucket. */
const FREE_WORD = 0x7fffffff;
const FREE_CELL = (BigInt(FREE_WORD) << 32n) | BigInt(FREE_WORD);

/** Minimum buckets per cell; above 2, cuckoo hashing nearly always succeeds. */
const CAPACITY_FACTOR = 2.5;
const MOVES_MAX = 100;

export class CellSet {
  /** Each cell is at the `firstBucket` or the `secondBucket` of its words. */
  table = new BigInt64Array(0);
  shift = 0;
  /** Keys are drawn anew for each content, because callers choose the values. */
  keyLow = 0;
  keyHigh = 0;
  #words = new Uint32Array(0);

  /** Replaces the content. */
  fill(cells: BigInt64Array): void {
    const words = new Uint32Array(cells.buffer, cells.byteOffset, cells.length * 2);
    let bits = Math.max(4, Math.ceil(Math.log2(cells.length * CAPACITY_FACTOR)));
    while (!this.#tryFill(words, bits)) bits++;
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
  const mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
}

export function firstBucket(mixed: number, shift: number): number {
  return mixed >>> shift;
}

export function secondBucket(mixed: number, shift: number): number {
  return Math.imul(mixed, 0x27d4eb2f) >>> shift;
}
