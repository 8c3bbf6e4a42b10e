// A set of rows of the row file, as a bitmap.

const BITS = 8;

export class RowSet {
  #bits = new Uint8Array(1_024);
  #size = 0;
  #end = 0;

  /** Number of rows in the set. */
  get size(): number {
    return this.#size;
  }

  /** One more than the highest row that was ever in it. */
  get end(): number {
    return this.#end;
  }

  /** @returns false when the row was in the set already */
  add(row: number): boolean {
    const at = Math.floor(row / BITS);
    if (at >= this.#bits.length) this.#grow(at + 1);
    const bit = 1 << (row % BITS);
    const byte = this.#bits[at] ?? 0;
    if ((byte & bit) !== 0) return false;
    this.#bits[at] = byte | bit;
    this.#size++;
    this.#end = Math.max(this.#end, row + 1);
    return true;
  }

  has(row: number): boolean {
    return ((this.#bits[Math.floor(row / BITS)] ?? 0) & (1 << (row % BITS))) !== 0;
  }

  /** @returns whether the row was in the set */
  delete(row: number): boolean {
    if (!this.has(row)) return false;
    const at = Math.floor(row / BITS);
    this.#bits[at] = (this.#bits[at] ?? 0) & ~(1 << (row % BITS));
    this.#size--;
    return true;
  }

  /** The first row of the set from `from` on; null for none. */
  next(from: number): number | null {
    if (this.#size === 0) return null;
    for (let row = from; row < this.#end; row++) {
      // Eight rows at a time where none of them is in the set.
      if (this.#bits[Math.floor(row / BITS)] === 0) row |= BITS - 1;
      else if (this.has(row)) return row;
    }
    return null;
  }

  /** Runs of adjacent rows in rising order, of at most `countMax` rows. */
  *runs(countMax: number): Generator<{ readonly first: number; readonly count: number }> {
    for (let first = 0; first < this.#end; ) {
      if (!this.has(first)) {
        first++;
        continue;
      }
      let count = 1;
      while (count < countMax && this.has(first + count)) count++;
      yield { first, count };
      first += count;
    }
  }

  /** Rows below `end` that are not in the set, in rising order, in batches. */
  *gaps(batchMax: number): Generator<readonly number[]> {
    let batch: number[] = [];
    for (let row = 0; row < this.#end; row++) {
      if (this.has(row)) continue;
      batch.push(row);
      if (batch.length < batchMax) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  #grow(bytes: number): void {
    const grown = new Uint8Array(Math.max(bytes, this.#bits.length * 2));
    grown.set(this.#bits);
    this.#bits = grown;
  }
}
