// Maps rows to slots in any order: an open-addressing hash table in two typed arrays (linear probing,
// deletion by backward shift: Knuth, TAOCP 6.4, algorithm R). 11 to 16 bytes a record where a Map takes about 50.

const EMPTY = 0;
const CAPACITY_MIN = 64;
/** Rows for each place: more make searches long, above all those for what is not there. */
const LOAD_MAX = 0.75;
/** A full table gets so much larger. */
const GROWTH = 1.5;
/** 2^32 divided by the golden ratio: its multiples lie far from each other, those of rows in a row most of all. */
const GOLDEN = 0x9e3779b1;

export class RowTable {
  /** Row + 1, so that 0 means empty: rows are below 2^32 - 1. */
  #keys = new Uint32Array(0);
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
    if (this.#size + 1 > LOAD_MAX * this.#keys.length) this.#resize(Math.ceil(GROWTH * this.#keys.length));
    const at = this.#find(row);
    if (this.#keys[at] === EMPTY) this.#size++;
    this.#keys[at] = row + 1;
    this.#slots[at] = slot;
  }

  delete(row: number): void {
    let hole = this.#find(row);
    if (this.#keys[hole] === EMPTY) return;
    this.#size--;
    for (let at = this.#next(hole); this.#keys[at] !== EMPTY; at = this.#next(at)) {
      const home = this.#home((this.#keys[at] ?? 0) - 1);
      // An entry may move back to the hole when its home is not between the hole and itself.
      if (this.#distance(home, at) < this.#distance(hole, at)) continue;
      this.#keys[hole] = this.#keys[at] ?? 0;
      this.#slots[hole] = this.#slots[at] ?? 0;
      hole = at;
    }
    this.#keys[hole] = EMPTY;
  }

  #next(at: number): number {
    return at + 1 === this.#keys.length ? 0 : at + 1;
  }

  /** Places from one to another, around the end. */
  #distance(from: number, to: number): number {
    return to >= from ? to - from : to - from + this.#keys.length;
  }

  /** By the upper bits, which are the ones that differ. */
  #home(row: number): number {
    return Math.floor(((Math.imul(row, GOLDEN) >>> 0) / 2 ** 32) * this.#keys.length);
  }

  #find(row: number): number {
    let at = this.#home(row);
    while (this.#keys[at] !== EMPTY && this.#keys[at] !== row + 1) at = this.#next(at);
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
    this.#keys = new Uint32Array(capacity);
    this.#slots = new Uint32Array(capacity);
  }
}
