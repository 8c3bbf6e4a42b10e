// How many frames the indexes of a process may hold together. Each writer thread counts its own in shared memory, so
// that those of one that died can be given back.

/** What all writer threads of a process share. */
export interface BudgetShare {
  /** From `FrameBudget.allocate`. */
  readonly words: SharedArrayBuffer;
  readonly framesMax: number;
}

/** Seconds of Date.now() when a writer last found no room. */
const WANTED = 0;
const FIRST_WRITER = 1;
/** How long a wish for room is heard. */
const WANTED_SECONDS = 3;

export class FrameBudget {
  readonly framesMax: number;
  readonly #words: Uint32Array<SharedArrayBuffer>;
  readonly #own: number;

  /** The budget as the writer thread of this number sees it. */
  constructor({ words, framesMax }: BudgetShare, writer: number) {
    this.#words = new Uint32Array(words);
    this.framesMax = framesMax;
    this.#own = FIRST_WRITER + writer;
  }

  static allocate(writers: number): SharedArrayBuffer {
    return new SharedArrayBuffer((FIRST_WRITER + writers) * Uint32Array.BYTES_PER_ELEMENT);
  }

  /** A budget of one's own. */
  static of(framesMax: number): FrameBudget {
    return new FrameBudget({ words: FrameBudget.allocate(1), framesMax }, 0);
  }

  /** Frames of all writers. For a moment it may count what one of them is about to be refused. */
  get used(): number {
    let used = 0;
    for (let i = FIRST_WRITER; i < this.#words.length; i++) used += Atomics.load(this.#words, i);
    return used;
  }

  get free(): number {
    return Math.max(0, this.framesMax - this.used);
  }

  /** @returns false, and takes none, when there are not so many left; of two who ask at once, both may be refused */
  take(frames: number): boolean {
    this.note(frames);
    if (this.used <= this.framesMax) return true;
    this.give(frames);
    return false;
  }

  /** Counts frames that are there already, beyond the bound, too. */
  note(frames: number): void {
    Atomics.add(this.#words, this.#own, frames);
  }

  give(frames: number): void {
    Atomics.sub(this.#words, this.#own, frames);
  }

  /** Gives back what the writer held: it has died. */
  giveAll(): void {
    Atomics.store(this.#words, this.#own, 0);
  }

  /** Tells the other writers that room is wanted. */
  want(): void {
    Atomics.store(this.#words, WANTED, Math.floor(Date.now() / 1_000));
  }

  /** True when a writer has found no room lately. */
  get isWanted(): boolean {
    return Date.now() / 1_000 - Atomics.load(this.#words, WANTED) < WANTED_SECONDS;
  }
}
