// Sorts the terms of a chunk's records by their indices: a radix sort.

const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;
const INDEX_BITS = 32;
const CAPACITY_MIN = 4_096;

/** Holds one chunk at a time; its arrays grow to the largest chunk and are reused. */
export class TermSorter {
  /** Of the i-th term added. */
  indices = new Uint32Array(0);
  slots = new Uint16Array(0);
  values = new Float32Array(0);
  count = 0;
  /** Terms and their indices, as sorted so far, and memory for the next pass. */
  #order = new Uint32Array(0);
  #orderIndices = new Uint32Array(0);
  #next = new Uint32Array(0);
  #nextIndices = new Uint32Array(0);
  readonly #starts = new Uint32Array(DIGITS);

  clear(): void {
    this.count = 0;
  }

  /** Adds a term; `slot` is a number within the chunk. */
  add(slot: number, index: number, value: number): void {
    const at = this.count++;
    if (at === this.indices.length) this.#grow();
    this.indices[at] = index;
    this.slots[at] = slot;
    this.values[at] = value;
  }

  /** The terms by ascending index, those of one index in the order they were added; valid until the next `clear`. */
  sorted(): Uint32Array {
    let highest = 0;
    for (let i = 0; i < this.count; i++) {
      highest |= this.indices[i] ?? 0;
      this.#order[i] = i;
    }
    this.#orderIndices.set(this.indices.subarray(0, this.count));
    // Least significant digit first; each pass preserves the order of the one before (Knuth, TAOCP 5.2.5, algorithm R).
    for (let shift = 0; shift < INDEX_BITS && highest >>> shift !== 0; shift += DIGIT_BITS) this.#pass(shift);
    return this.#order.subarray(0, this.count);
  }

  /** Indices move along with their terms, so that all reads are sequential. */
  #pass(shift: number): void {
    const { count } = this;
    const [from, indices, to, toIndices] = [this.#order, this.#orderIndices, this.#next, this.#nextIndices];
    const starts = this.#startsOf(indices, shift);
    for (let i = 0; i < count; i++) {
      const index = indices[i] ?? 0;
      const digit = (index >>> shift) & (DIGITS - 1);
      const position = starts[digit] ?? 0;
      to[position] = from[i] ?? 0;
      toIndices[position] = index;
      starts[digit] = position + 1;
    }
    [this.#order, this.#orderIndices, this.#next, this.#nextIndices] = [to, toIndices, from, indices];
  }

  /** Where the terms of each digit start. */
  #startsOf(indices: Uint32Array, shift: number): Uint32Array {
    const { count } = this;
    const starts = this.#starts.fill(0);
    for (let i = 0; i < count; i++) {
      const digit = ((indices[i] ?? 0) >>> shift) & (DIGITS - 1);
      starts[digit] = (starts[digit] ?? 0) + 1;
    }
    let start = 0;
    for (let digit = 0; digit < DIGITS; digit++) {
      const terms = starts[digit] ?? 0;
      starts[digit] = start;
      start += terms;
    }
    return starts;
  }

  #grow(): void {
    const capacity = Math.max(CAPACITY_MIN, this.indices.length * 2);
    const { indices, slots, values } = this;
    this.indices = new Uint32Array(capacity);
    this.slots = new Uint16Array(capacity);
    this.values = new Float32Array(capacity);
    this.indices.set(indices);
    this.slots.set(slots);
    this.values.set(values);
    this.#order = new Uint32Array(capacity);
    this.#orderIndices = new Uint32Array(capacity);
    this.#next = new Uint32Array(capacity);
    this.#nextIndices = new Uint32Array(capacity);
  }
}
