// How often an index has been committed to, in memory that its writer shares with its readers: they look at its files
// anew only when it has moved.

export class CommitCount {
  readonly #words: Uint32Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Uint32Array(buffer);
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT);
  }

  /** Differs from an earlier one when something was committed between; begins anew after 2^32 commits. */
  get now(): number {
    return Atomics.load(this.#words, 0);
  }

  /** Writer only: after each commit, before memory or an answer tells of it. */
  raise(): void {
    Atomics.add(this.#words, 0, 1);
  }
}
