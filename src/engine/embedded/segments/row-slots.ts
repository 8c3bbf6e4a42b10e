// Maps rows to the slots of a segment: an open-addressing hash table in two typed arrays (linear probing,
// deletion by backward shift: Knuth, TAOCP 6.4, algorithm R). 16 bytes a record where a Map takes about 50.

const EMPTY = 0;
const CAPACITY_MIN = 64;

export class RowSlots {
  /** Row + 1, so that 0 means empty. */
  #keys = new Float64Array(0);
  #slots = new Uint32Array(0);
  #size = 0;

  constructor() {
    this.#allocate(CAPACITY_MIN);
  }

  get(row: number): number | undefined {
    const at = this.#find(row);
    return this.#keys[at] === EMPTY ? undefined : this.#slots[at];
  }

  set(row: number, slot: number): void {
    if ((this.#size + 1) * 2 > this.#keys.length) this.#resize(this.#keys.length * 2);
    const at = this.#find(row);
    if (this.#keys[at] === EMPTY) this.#size++;
    this.#keys[at] = row + 1;
    this.#slots[at] = slot;
  }

  /** Allocates space for so many rows in all, so that adding them never rehashes. */
  reserve(rows: number): void {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(1, rows * 2)));
    if (capacity > this.#keys.length) this.#resize(capacity);
  }

  delete(row: number): void {
    let hole = this.#find(row);
    if (this.#keys[hole] === EMPTY) return;
    this.#size--;
    const mask = this.#keys.length - 1;
    for (let at = (hole + 1) & mask; this.#keys[at] !== EMPTY; at = (at + 1) & mask) {
      const home = this.#home((this.#keys[at] ?? 0) - 1);
      // An entry may move back to the hole when its home is not between the hole and itself.
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      this.#keys[hole] = this.#keys[at] ?? 0;
      this.#slots[hole] = this.#slots[at] ?? 0;
      hole = at;
    }
    this.#keys[hole] = EMPTY;
  }

  #home(row: number): number {
    const mixed = Math.imul(row, 0x9e3779b1);
    // All 32 bits take part, so that tables of more than 2^25 entries are used whole.
    return (mixed ^ (mixed >>> 15)) & (this.#keys.length - 1);
  }

  #find(row: number): number {
    const mask = this.#keys.length - 1;
    let at = this.#home(row);
    while (this.#keys[at] !== EMPTY && this.#keys[at] !== row + 1) at = (at + 1) & mask;
    return at;
  }

  #resize(capacity: number): void {
    const keys = this.#keys;
    const slots = this.#slots;
    this.#allocate(capacity);
    keys.forEach((key, i) => {
      if (key === EMPTY) return;
      const at = this.#find(key - 1);
      this.#keys[at] = key;
      this.#slots[at] = slots[i] ?? 0;
    });
  }

  #allocate(capacity: number): void {
    this.#keys = new Float64Array(capacity);
    this.#slots = new Uint32Array(capacity);
  }
}
