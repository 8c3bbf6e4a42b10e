// Epoch-based reclamation: a reader pins the epoch it started in; what a writer retires at an epoch may be reused when
// no reader has pinned an earlier one. (Fraser, "Practical lock-freedom", 2004, chapter 5.2.3.) Scans that go on for
// minutes look at rows alone: what they hold has words of its own, so that memory need not wait for them.

const CURRENT = 0;
const FIRST_READER = 1;
/** Words of a reader: the epoch that it has pinned, and the oldest that it holds. */
const WORDS_EACH = 2;
const PINNED = 0;
const HELD = 1;
const IDLE = 0n;

export class Epochs {
  /** 64 bits each: 10,000 commits a second would use up 31 of them in 60 hours. */
  readonly #words: BigInt64Array<SharedArrayBuffer>;

  /** Epochs that this thread holds, oldest first. */
  readonly #held: bigint[] = [];

  constructor(buffer: SharedArrayBuffer) {
    this.#words = new BigInt64Array(buffer);
  }

  /** Shared memory for this many reader threads; epochs start at 1. */
  static allocate(readers: number): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(
      BigInt64Array.BYTES_PER_ELEMENT * (FIRST_READER + readers * WORDS_EACH),
    );
    new BigInt64Array(buffer)[CURRENT] = 1n;
    return buffer;
  }

  /** Number of reader threads. */
  get readers(): number {
    return (this.#words.length - FIRST_READER) / WORDS_EACH;
  }

  /** Called by a reader before it takes its snapshot of shared structures. */
  pin(reader: number): void {
    this.#store(reader, PINNED, Atomics.load(this.#words, CURRENT));
  }

  unpin(reader: number): void {
    this.#store(reader, PINNED, IDLE);
  }

  /**
   * Keeps rows that can be seen now from being reused, and nothing in arenas, whatever the reader pins and unpins
   * meanwhile. @returns what ends it
   */
  holdRows(reader: number): () => void {
    const epoch = Atomics.load(this.#words, CURRENT);
    if (this.#held.push(epoch) === 1) this.#store(reader, HELD, epoch);
    return () => {
      this.#held.splice(this.#held.indexOf(epoch), 1);
      this.#store(reader, HELD, this.#held[0] ?? IDLE);
    };
  }

  /** Ends what a reader that has died has pinned and held. */
  forget(reader: number): void {
    for (const word of [PINNED, HELD]) this.#store(reader, word, IDLE);
  }

  #store(reader: number, word: number, epoch: bigint): void {
    Atomics.store(this.#words, FIRST_READER + reader * WORDS_EACH + word, epoch);
  }

  /**
   * Starts a new epoch after something was retired.
   * @returns the epoch from which on no new reader can see it
   */
  advance(): number {
    return Number(Atomics.add(this.#words, CURRENT, 1n)) + 1;
  }

  /** Memory of arenas that was retired at this epoch or earlier is seen by no reader. */
  oldestPinned(): number {
    return this.#oldest([PINNED]);
  }

  /** Rows that were retired at this epoch or earlier are seen by no reader. */
  oldestPinnedOrHeld(): number {
    return this.#oldest([PINNED, HELD]);
  }

  #oldest(words: readonly number[]): number {
    let oldest = Atomics.load(this.#words, CURRENT);
    for (let first = FIRST_READER; first < this.#words.length; first += WORDS_EACH)
      for (const word of words) {
        const epoch = Atomics.load(this.#words, first + word);
        if (epoch !== IDLE && epoch < oldest) oldest = epoch;
      }
    return Number(oldest);
  }
}
