// Epoch-based reclamation: a reader pins the epoch it started in; what a writer retires at an epoch may be reused when
// no reader has pinned an earlier one. (Fraser, "Practical lock-freedom", 2004, chapter 5.2.3.)

const CURRENT = 0;
const FIRST_READER = 1;
const IDLE = 0n;

export class Epochs {
  /** 64 bits each: 10,000 commits a second would use up 31 of them in 60 hours. */
  readonly #words: BigInt64Array<SharedArrayBuffer>;

  /** Epochs that this thread has pinned for long, by `holdPin`. */
  readonly #held: bigint[] = [];

  constructor(buffer: SharedArrayBuffer) {
    this.#words = new BigInt64Array(buffer);
  }

  /** Shared memory for this many reader threads; epochs start at 1. */
  static allocate(readers: number): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT * (FIRST_READER + readers));
    new BigInt64Array(buffer)[CURRENT] = 1n;
    return buffer;
  }

  /** Number of reader threads. */
  get readers(): number {
    return this.#words.length - FIRST_READER;
  }

  /** Called by a reader before it takes its snapshot of shared structures. */
  pin(reader: number): void {
    // What is held is of an earlier epoch.
    if (this.#held.length === 0) this.#store(reader, Atomics.load(this.#words, CURRENT));
  }

  unpin(reader: number): void {
    if (this.#held.length === 0) this.#store(reader, IDLE);
  }

  /** As `pin`, for work between whose parts the reader pins and unpins other epochs. @returns what ends it */
  holdPin(reader: number): () => void {
    const epoch = Atomics.load(this.#words, CURRENT);
    if (this.#held.push(epoch) === 1) this.#store(reader, epoch);
    return () => {
      this.#held.splice(this.#held.indexOf(epoch), 1);
      // Later ones are of later epochs.
      this.#store(reader, this.#held[0] ?? IDLE);
    };
  }

  #store(reader: number, epoch: bigint): void {
    Atomics.store(this.#words, FIRST_READER + reader, epoch);
  }

  /**
   * Starts a new epoch after something was retired.
   * @returns the epoch from which on no new reader can see it
   */
  advance(): number {
    return Number(Atomics.add(this.#words, CURRENT, 1n)) + 1;
  }

  /** What was retired at this epoch or earlier is seen by no reader. */
  oldestPinned(): number {
    let oldest = Atomics.load(this.#words, CURRENT);
    for (let i = FIRST_READER; i < this.#words.length; i++) {
      const pinned = Atomics.load(this.#words, i);
      if (pinned !== IDLE && pinned < oldest) oldest = pinned;
    }
    return Number(oldest);
  }
}
