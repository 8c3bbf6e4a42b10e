// Counts cells: a hash table with open addressing, bounded, and keyed so that nobody can construct collisions.
import { randomInt } from 'node:crypto';
import { mixWords } from './cell-set.ts';

/** Entries of an empty table; a table is at most half full. */
const CAPACITY_MIN = 64;
/** An entry lies together, in a line of a processor's cache: the cell, its count, and the slot that was counted last. */
const ENTRY_WORDS = 4;
const [LOW, HIGH, COUNT, SLOT] = [0, 1, 2, 3];
/** Bits that tell of most cells that they were not counted, without a look at a table too large for near caches. */
const SKETCH_BITS = 2 ** 20;

/** Sorted at once while the most frequent cells are found. */
const SELECTED_FACTOR = 8;

export interface CellCount {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  /** The last slot that has the cell, and its segment. */
  readonly slot: number;
  readonly segment: number;
}

/** A column's entries come slot by slot, segment by segment. */
export class CellCounts {
  readonly #cellsMax: number;
  readonly #keyLow = randomInt(2 ** 32);
  readonly #keyHigh = randomInt(2 ** 32);
  /** A count of 0 marks a free entry. */
  #words = new Uint32Array(CAPACITY_MIN * ENTRY_WORDS);
  /** The segment of each entry's slot; they ascend from 0. */
  #segments = new Uint32Array(CAPACITY_MIN);
  #segment = 0;
  /** A bit for each hash of a counted cell, once no further cells may be. */
  #sketch: Uint32Array | null = null;
  #size = 0;
  #isExact = true;

  constructor(cellsMax: number) {
    this.#cellsMax = cellsMax;
  }

  /** Different cells. */
  get size(): number {
    return this.#size;
  }

  /** False when a cell was left out, because there are too many. */
  get isExact(): boolean {
    return this.#isExact;
  }

  /** The slots added next are those of this segment. */
  startSegment(segment: number): void {
    this.#segment = segment;
  }

  /** Counts a slot once, though it may have a cell twice. */
  add(low: number, high: number, slot: number): void {
    const hash = mixWords(low ^ this.#keyLow, high ^ this.#keyHigh);
    if (this.#sketch !== null && !hasBit(this.#sketch, hash)) {
      this.#isExact = false;
      return;
    }
    const at = this.#find(low, high, hash);
    const words = this.#words;
    const count = words[at + COUNT] ?? 0;
    if (count === 0) {
      if (this.#size === this.#cellsMax) {
        this.#isExact = false;
        return;
      }
      words[at + LOW] = low;
      words[at + HIGH] = high;
      this.#size++;
    } else if (words[at + SLOT] === slot && this.#segments[at / ENTRY_WORDS] === this.#segment) return;
    words[at + COUNT] = count + 1;
    words[at + SLOT] = slot;
    if (this.#segment !== 0) this.#segments[at / ENTRY_WORDS] = this.#segment;
    if (count !== 0) return;
    if (this.#size * 2 * ENTRY_WORDS > words.length) this.#grow();
    if (this.#size === this.#cellsMax) this.#sketch = this.#sketchOf();
  }

  /**
   * The most frequent cells, the highest count first, and at most `tiesMax` more that have the count of the last of them:
   * those with the lowest slots, so that the same cells give the same answer.
   */
  top(limit: number, tiesMax: number): readonly CellCount[] {
    const selected = this.#selectFirst(limit + tiesMax);
    const least = selected[limit - 1]?.count ?? 0;
    return selected.filter(({ count }, rank) => rank < limit || count === least);
  }

  /** The first cells in the order of `compareCells`. */
  #selectFirst(limit: number): readonly CellCount[] {
    const words = this.#words;
    let first: CellCount[] = [];
    let last: CellCount | undefined;
    for (let at = 0; at < words.length; at += ENTRY_WORDS) {
      const count = words[at + COUNT] ?? 0;
      if (count === 0 || (last !== undefined && count < last.count)) continue;
      const cell = this.#cellAt(at);
      if (last !== undefined && compareCells(cell, last) > 0) continue;
      first.push(cell);
      if (first.length < limit * SELECTED_FACTOR) continue;
      first = first.sort(compareCells).slice(0, limit);
      last = first.at(-1);
    }
    return first.sort(compareCells).slice(0, limit);
  }

  #cellAt(at: number): CellCount {
    const words = this.#words;
    return {
      low: words[at + LOW] ?? 0,
      high: words[at + HIGH] ?? 0,
      count: words[at + COUNT] ?? 0,
      slot: words[at + SLOT] ?? 0,
      segment: this.#segments[at / ENTRY_WORDS] ?? 0,
    };
  }

  /** Where the entry of a cell begins, or the free one where it belongs. */
  #find(low: number, high: number, hash: number): number {
    const words = this.#words;
    const mask = words.length - 1;
    let at = Math.imul(hash, ENTRY_WORDS) & mask;
    while (words[at + COUNT] !== 0 && (words[at] !== low || words[at + HIGH] !== high))
      at = (at + ENTRY_WORDS) & mask;
    return at;
  }

  #grow(): void {
    const [old, oldSegments] = [this.#words, this.#segments];
    const words = new Uint32Array(old.length * 2);
    this.#words = words;
    this.#segments = new Uint32Array(oldSegments.length * 2);
    for (let from = 0; from < old.length; from += ENTRY_WORDS) {
      if (old[from + COUNT] === 0) continue;
      const [low, high] = [old[from + LOW] ?? 0, old[from + HIGH] ?? 0];
      const at = this.#find(low, high, mixWords(low ^ this.#keyLow, high ^ this.#keyHigh));
      for (let word = 0; word < ENTRY_WORDS; word++) words[at + word] = old[from + word] ?? 0;
      this.#segments[at / ENTRY_WORDS] = oldSegments[from / ENTRY_WORDS] ?? 0;
    }
  }

  #sketchOf(): Uint32Array {
    const sketch = new Uint32Array(SKETCH_BITS / 32);
    const words = this.#words;
    for (let at = 0; at < words.length; at += ENTRY_WORDS) {
      if (words[at + COUNT] === 0) continue;
      const hash = mixWords((words[at + LOW] ?? 0) ^ this.#keyLow, (words[at + HIGH] ?? 0) ^ this.#keyHigh);
      const word = (hash & (SKETCH_BITS - 1)) >>> 5;
      sketch[word] = (sketch[word] ?? 0) | (1 << (hash & 31));
    }
    return sketch;
  }
}

function hasBit(sketch: Uint32Array, hash: number): boolean {
  return (((sketch[(hash & (SKETCH_BITS - 1)) >>> 5] ?? 0) >>> (hash & 31)) & 1) !== 0;
}

/** The highest count first, then the lowest slot; cells with the same last slot are in the order of their bits. */
function compareCells(a: CellCount, b: CellCount): number {
  return b.count - a.count || a.segment - b.segment || a.slot - b.slot || a.low - b.low || a.high - b.high;
}
