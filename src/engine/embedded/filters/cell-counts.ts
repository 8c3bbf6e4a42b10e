// Counts cells: a hash table with open addressing, bounded, and keyed so that nobody can construct collisions.
import { randomInt } from 'node:crypto';
import { mixWords } from './cell-set.ts';

/** Entries of an empty table; a table is at most half full. */
const CAPACITY_MIN = 64;

export interface CellCount {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  /** Number of the last slot that has the cell. */
  readonly slot: number;
}

/** A column's entries come slot by slot; numbers of slots are those that the caller adds. */
export class CellCounts {
  readonly #cellsMax: number;
  readonly #keyLow = randomInt(2 ** 32);
  readonly #keyHigh = randomInt(2 ** 32);
  #low = new Uint32Array(CAPACITY_MIN);
  #high = new Uint32Array(CAPACITY_MIN);
  /** 0 where an entry is free. */
  #counts = new Uint32Array(CAPACITY_MIN);
  /** The slot that was counted last, so that a slot with a cell twice counts once. */
  #slots = new Float64Array(CAPACITY_MIN);
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

  add(low: number, high: number, slot: number): void {
    const at = this.#find(low, high);
    const count = this.#counts[at] ?? 0;
    if (count === 0) {
      if (this.#size === this.#cellsMax) {
        this.#isExact = false;
        return;
      }
      this.#low[at] = low;
      this.#high[at] = high;
      this.#size++;
    } else if (this.#slots[at] === slot) return;
    this.#counts[at] = count + 1;
    this.#slots[at] = slot;
    if (count === 0 && this.#size * 2 > this.#counts.length) this.#grow();
  }

  /**
   * The most frequent cells, the highest count first, and at most `tiesMax` more that have the count of the last of them:
   * those with the lowest slots, so that the same cells give the same answer.
   */
  top(limit: number, tiesMax: number): readonly CellCount[] {
    const used: number[] = [];
    for (let at = 0; at < this.#counts.length; at++) if (this.#counts[at] !== 0) used.push(at);
    const [low, high, counts, slots] = [this.#low, this.#high, this.#counts, this.#slots];
    // Counts descend; cells with the same last slot are in the order of their bits.
    const orders = [counts, slots, low, high];
    used.sort((a, b) => {
      for (const order of orders) {
        const difference = (order[a] ?? 0) - (order[b] ?? 0);
        if (difference !== 0) return order === counts ? -difference : difference;
      }
      return 0;
    });
    const least = counts[used[limit - 1] ?? -1] ?? 0;
    const isTop = (at: number, rank: number) => rank < limit || counts[at] === least;
    return used
      .slice(0, limit + tiesMax)
      .filter(isTop)
      .map((at) => ({
        low: low[at] ?? 0,
        high: high[at] ?? 0,
        count: counts[at] ?? 0,
        slot: slots[at] ?? 0,
      }));
  }

  /** The entry of a cell, or the free one where it belongs. */
  #find(low: number, high: number): number {
    const mask = this.#counts.length - 1;
    let at = mixWords(low ^ this.#keyLow, high ^ this.#keyHigh) & mask;
    while (this.#counts[at] !== 0 && (this.#low[at] !== low || this.#high[at] !== high)) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [low, high, counts, slots] = [this.#low, this.#high, this.#counts, this.#slots];
    const capacity = counts.length * 2;
    this.#low = new Uint32Array(capacity);
    this.#high = new Uint32Array(capacity);
    this.#counts = new Uint32Array(capacity);
    this.#slots = new Float64Array(capacity);
    for (let from = 0; from < counts.length; from++) {
      if (counts[from] === 0) continue;
      const at = this.#find(low[from] ?? 0, high[from] ?? 0);
      this.#low[at] = low[from] ?? 0;
      this.#high[at] = high[from] ?? 0;
      this.#counts[at] = counts[from] ?? 0;
      this.#slots[at] = slots[from] ?? 0;
    }
  }
}
