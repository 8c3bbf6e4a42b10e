// The memory limit of a process: how many frames all indexes may use together. Each writer thread counts its own in
// shared memory, so that those of a dead one can be freed.
import { monotonicSeconds } from '../../../platform/monotonic-clock.ts';

/** What all writer threads of a process share. */
export interface BudgetShare {
  /** From `FrameBudget.allocate`. */
  readonly words: SharedArrayBuffer;
  readonly framesMax: number;
}

/** When a writer last found too little memory, in seconds of the monotonic clock. */
const WANTED = 0;
const FIRST_WRITER = 1;
/** How long `want` has an effect. */
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

  /** A budget for one writer. */
  static of(framesMax: number): FrameBudget {
    return new FrameBudget({ words: FrameBudget.allocate(1), framesMax }, 0);
  }

  /** Frames of all writers. For a moment it may include frames that a writer is about to be refused. */
  get used(): number {
    let used = 0;
    for (let i = FIRST_WRITER; i < this.#words.length; i++) used += Atomics.load(this.#words, i);
    return used;
  }

  get free(): number {
    return Math.max(0, this.framesMax - this.used);
  }

  /** @returns false, and takes nothing, if fewer are left; of two concurrent callers, both may be refused */
  take(frames: number): boolean {
    this.note(frames);
    if (this.used <= this.framesMax) return true;
    this.give(frames);
    return false;
  }

  /** Counts frames that exist already, even beyond the limit. */
  note(frames: number): void {
    Atomics.add(this.#words, this.#own, frames);
  }

  give(frames: number): void {
    Atomics.sub(this.#words, this.#own, frames);
  }

  /** Frees everything that the writer counted: it has died. */
  giveAll(): void {
    Atomics.store(this.#words, this.#own, 0);
  }

  /** Asks the other writers to evict. */
  want(): void {
    Atomics.store(this.#words, WANTED, monotonicSeconds());
  }

  /** True when a writer has lately found too little memory. */
  get isWanted(): boolean {
    return monotonicSeconds() - Atomics.load(this.#words, WANTED) < WANTED_SECONDS;
  }
}
