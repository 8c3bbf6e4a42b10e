// Counts the commits of an index in memory that its writer shares with its readers, which refresh their view of the
// files only when the count has changed.

export class CommitCount {
  readonly #words: Uint32Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Uint32Array(buffer);
  }

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT);
  }

  /** Differs from an earlier value if something was committed in between; wraps around after 2^32 commits. */
  get now(): number {
    return Atomics.load(this.#words, 0);
  }

  /** Writer only: call after each commit, before memory or an answer shows it. */
  raise(): void {
    Atomics.add(this.#words, 0, 1);
  }
}
