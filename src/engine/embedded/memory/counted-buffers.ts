// Shared memory beside an arena that the memory limit counts: what searches can do without. Nobody frees a buffer itself,
// which is gone once no thread references it.
import { FRAME_BYTES } from './arena.ts';
import type { FrameBudget } from './frame-budget.ts';

/** Share of the memory limit that must be left: loads and writes need it more. */
const FREE_SHARE_MIN = 1 / 16;

export class CountedBuffers {
  readonly #budget: FrameBudget;
  #bytes = 0;
  #isClosed = false;

  constructor(budget: FrameBudget) {
    this.#budget = budget;
  }

  /** Frames that the budget counts for them. */
  get frames(): number {
    return Math.ceil(this.#bytes / FRAME_BYTES);
  }

  /** @returns null when too little memory would be left, or the system has none */
  allocate(bytes: number): SharedArrayBuffer | null {
    const budget = this.#budget;
    const frames = Math.ceil((this.#bytes + bytes) / FRAME_BYTES) - this.frames;
    if (this.#isClosed || budget.isWanted || budget.free - frames < budget.framesMax * FREE_SHARE_MIN)
      return null;
    if (!budget.take(frames)) return null;
    try {
      const buffer = new SharedArrayBuffer(bytes);
      this.#bytes += bytes;
      return buffer;
    } catch (error) {
      budget.give(frames);
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** Counts buffers of so many bytes no more. */
  forget(bytes: number): void {
    if (this.#isClosed) return;
    const before = this.frames;
    this.#bytes -= bytes;
    this.#budget.give(before - this.frames);
  }

  /** Forgets all of them, and allocates none any more. */
  close(): void {
    this.forget(this.#bytes);
    this.#isClosed = true;
  }
}
