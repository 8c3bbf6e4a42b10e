// The frames of an arena that the memory limit counts: the arena grows only as far as the limit allows.
import type { Arena } from './arena.ts';
import type { FrameBudget } from './frame-budget.ts';

export class CountedFrames {
  readonly #arena: Arena;
  readonly #budget: FrameBudget;
  #taken: number;
  #own: number;
  /** Frames that a file backs, which the budget does not count. */
  #inFile = 0;

  /** `taken`: frames that the budget counts already; default none. */
  constructor(arena: Arena, budget: FrameBudget, taken?: number) {
    this.#arena = arena;
    this.#budget = budget;
    this.#taken = taken ?? 0;
    this.#own = taken ?? arena.frames;
  }

  /** Frames that the budget counts for this arena. */
  get taken(): number {
    return this.#taken;
  }

  /** Frames of the arena that are not scratch memory of readers and builders. */
  get own(): number {
    return this.#own;
  }

  /** Lets the budget count what readers and builders have grown the arena by: they take scratch memory without asking. */
  update(): void {
    const uncounted = this.#arena.memory.grow(0) - this.#taken - this.#inFile;
    this.#budget.note(uncounted);
    this.#taken += uncounted;
  }

  /** Grows the arena by frames that a file will back. @returns the address of the first; null when it is exhausted */
  growInFile(frames: number): number | null {
    const address = this.#arena.grow(frames);
    if (address === null) return null;
    this.#inFile += frames;
    this.#own += frames;
    return address;
  }

  /** Counts frames that were to be backed by a file, and are not. @returns false, and counts none, if fewer are left */
  keepInMemory(frames: number): boolean {
    if (!this.#budget.take(frames)) return false;
    this.#inFile -= frames;
    this.#taken += frames;
    return true;
  }

  /** @returns the address of the first new frame; null when the budget or the arena is exhausted */
  grow(frames: number): number | null {
    if (!this.#budget.take(frames)) return null;
    const address = this.#arena.grow(frames);
    if (address === null) {
      this.#budget.give(frames);
      return null;
    }
    this.#taken += frames;
    this.#own += frames;
    return address;
  }
}
