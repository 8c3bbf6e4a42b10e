// Maps rows to the slots of a segment. Records that are written together get rows and slots in a row, so that most are
// kept as runs, in rising order; what comes out of this order is in a table.
import { RowTable } from './row-table.ts';

const RUNS_MIN = 16;
/** A full list of runs gets so much larger. */
const GROWTH = 1.5;
const NONE = -1;

export class RowSlots {
  readonly #others = new RowTable();
  /** First row, first slot and length of each run. */
  #rows = new Uint32Array(RUNS_MIN);
  #slots = new Uint32Array(RUNS_MIN);
  #lengths = new Uint32Array(RUNS_MIN);
  #runs = 0;
  /** What would continue the last run. */
  #nextRow = 0;
  #nextSlot = 0;
  /** A bit for each slot of the runs whose row has gone, or has another slot now. */
  #removed = new Uint32Array(0);

  get(row: number): number | undefined {
    const slot = this.#slotInRuns(row);
    return slot === NONE ? this.#others.get(row) : slot;
  }

  set(row: number, slot: number): void {
    if (row === this.#nextRow && slot === this.#nextSlot && this.#runs > 0) this.#continue();
    else if (row >= this.#nextRow && slot >= this.#nextSlot) this.#begin(row, slot);
    else {
      this.#removeFromRuns(row);
      this.#others.set(row, slot);
    }
  }

  delete(row: number): void {
    if (!this.#removeFromRuns(row)) this.#others.delete(row);
  }

  #continue(): void {
    const last = this.#runs - 1;
    this.#lengths[last] = (this.#lengths[last] ?? 0) + 1;
    this.#nextRow++;
    this.#nextSlot++;
  }

  #begin(row: number, slot: number): void {
    if (this.#runs === this.#rows.length) this.#grow();
    this.#rows[this.#runs] = row;
    this.#slots[this.#runs] = slot;
    this.#lengths[this.#runs] = 1;
    this.#runs++;
    this.#nextRow = row + 1;
    this.#nextSlot = slot + 1;
  }

  #grow(): void {
    const larger = (list: Uint32Array) => {
      const into = new Uint32Array(Math.ceil(GROWTH * list.length));
      into.set(list);
      return into;
    };
    this.#rows = larger(this.#rows);
    this.#slots = larger(this.#slots);
    this.#lengths = larger(this.#lengths);
  }

  /** The slot of a row that the runs have; -1 otherwise. */
  #slotInRuns(row: number): number {
    if (row >= this.#nextRow) return NONE;
    let low = 0;
    let high = this.#runs;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#rows[middle] ?? 0) <= row) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return NONE;
    const run = low - 1;
    const at = row - (this.#rows[run] ?? 0);
    if (at >= (this.#lengths[run] ?? 0)) return NONE;
    const slot = (this.#slots[run] ?? 0) + at;
    return this.#isRemoved(slot) ? NONE : slot;
  }

  #isRemoved(slot: number): boolean {
    return (((this.#removed[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
  }

  /** @returns false when the runs do not have the row */
  #removeFromRuns(row: number): boolean {
    const slot = this.#slotInRuns(row);
    if (slot === NONE) return false;
    const word = slot >>> 5;
    if (word >= this.#removed.length) {
      const removed = new Uint32Array((this.#nextSlot >>> 5) + 1);
      removed.set(this.#removed);
      this.#removed = removed;
    }
    this.#removed[word] = (this.#removed[word] ?? 0) | (1 << (slot & 31));
    return true;
  }
}
