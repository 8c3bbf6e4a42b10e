// Epoch-based reclamation: a reader pins the epoch it started in; what a writer retires at an epoch may be reused when
// no reader has pinned an earlier one. (Fraser, "Practical lock-freedom", 2004, chapter 5.2.3.)

const CURRENT = 0;
const FIRST_READER = 1;
const IDLE = 0;

export class Epochs {
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Int32Array(buffer);
  }

  /** Shared memory for this many reader threads; epochs start at 1. */
  static allocate(readers: number): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(4 * (FIRST_READER + readers));
    new Int32Array(buffer)[CURRENT] = 1;
    return buffer;
  }

  /** Number of reader threads. */
  get readers(): number {
    return this.#words.length - FIRST_READER;
  }

  /** Called by a reader before it takes its snapshot of shared structures. */
  pin(reader: number): void {
    Atomics.store(this.#words, FIRST_READER + reader, Atomics.load(this.#words, CURRENT));
  }

  unpin(reader: number): void {
    Atomics.store(this.#words, FIRST_READER + reader, IDLE);
  }

  /**
   * Starts a new epoch after something was retired.
   * @returns the epoch from which on no new reader can see it
   */
  advance(): number {
    return Atomics.add(this.#words, CURRENT, 1) + 1;
  }

  /** What was retired at this epoch or earlier is seen by no reader. */
  oldestPinned(): number {
    let oldest = Atomics.load(this.#words, CURRENT);
    for (let i = FIRST_READER; i < this.#words.length; i++) {
      const pinned = Atomics.load(this.#words, i);
      if (pinned !== IDLE && pinned < oldest) oldest = pinned;
    }
    return oldest;
  }
}
