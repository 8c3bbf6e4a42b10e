// Hands out frames, and 4 KiB blocks cut from frames, of an arena. One per arena, used by its index's writer alone.
import { ARENA_FRAMES_MAX, type Arena, FRAME_BYTES } from './arena.ts';
import type { Epochs } from './epochs.ts';
import type { FrameBudget } from './frame-budget.ts';

export const BLOCK_BYTES = 4_096;
/** Growing is a system call; sixteen frames (1 MiB) at a time keep it rare and waste little. */
const GROW_FRAMES = 16;

/** The arena has reached 4 GiB, or all indexes together their ceiling: what asked for memory cannot have it here. */
export class ArenaFull extends Error {
  override readonly message = 'the index memory is full';
}

type Retired = {
  readonly epoch: number;
  readonly frames: readonly number[];
  readonly blocks: readonly number[];
};

export class Allocator {
  readonly #arena: Arena;
  readonly #epochs: Epochs;
  readonly #budget: FrameBudget;
  readonly #framesMax: number;
  readonly #freeFrames: number[] = [];
  readonly #freeBlocks: number[] = [];
  #retired: Retired[] = [];
  #framesTaken = 0;

  constructor(
    arena: Arena,
    options: {
      readonly epochs: Epochs;
      readonly budget: FrameBudget;
      readonly framesMax?: number;
      /** Frames of the arena that the budget counts already; default none. */
      readonly framesTaken?: number;
    },
  ) {
    this.#arena = arena;
    this.#epochs = options.epochs;
    this.#budget = options.budget;
    this.#framesMax = options.framesMax ?? ARENA_FRAMES_MAX;
    this.#framesTaken = options.framesTaken ?? 0;
  }

  /** Frames taken from the budget. */
  get framesTaken(): number {
    return this.#framesTaken;
  }

  /** Lets the budget count what readers and builders have grown the arena by: they take their working space unasked. */
  countFrames(): void {
    const uncounted = this.#arena.memory.grow(0) - this.#framesTaken;
    this.#budget.note(uncounted);
    this.#framesTaken += uncounted;
  }

  /** Frames in the arena that nobody uses. */
  get framesFree(): number {
    this.#reclaim();
    return this.#freeFrames.length;
  }

  /** Frames that could still be had here, as far as the arena goes. */
  get room(): number {
    this.#reclaim();
    return this.#freeFrames.length + this.#framesMax - this.#arena.frames;
  }

  /** Address of a frame; its content is undefined. @throws ArenaFull */
  frame(): number {
    this.#reclaim();
    const free = this.#freeFrames.pop();
    if (free !== undefined) return free;
    const grown = this.#grow(GROW_FRAMES);
    if (grown === null) return this.#growOrThrow(1);
    for (let i = GROW_FRAMES - 1; i > 0; i--) this.#freeFrames.push(grown + i * FRAME_BYTES);
    return grown;
  }

  /** Address of `count` frames in a row; retire them one by one. @throws ArenaFull */
  frames(count: number): number {
    return count === 1 ? this.frame() : this.#growOrThrow(count);
  }

  /** Address of a block, zeroed. @throws ArenaFull */
  block(): number {
    this.#reclaim();
    let address = this.#freeBlocks.pop();
    if (address === undefined) {
      const frame = this.frame();
      for (let at = FRAME_BYTES - BLOCK_BYTES; at > 0; at -= BLOCK_BYTES) this.#freeBlocks.push(frame + at);
      address = frame;
    }
    this.#arena.words(address + BLOCK_BYTES).fill(0, address / 4, (address + BLOCK_BYTES) / 4);
    return address;
  }

  /** As many zeroed blocks, all or none. @throws ArenaFull */
  blocks(count: number): readonly number[] {
    const blocks: number[] = [];
    try {
      for (let i = 0; i < count; i++) blocks.push(this.block());
    } catch (error) {
      this.retire([], blocks);
      throw error;
    }
    return blocks;
  }

  /** Gives memory back for use once no reader can still be looking at it. */
  retire(frames: readonly number[], blocks: readonly number[]): void {
    this.#retired.push({ epoch: this.#epochs.advance(), frames, blocks });
  }

  #growOrThrow(frames: number): number {
    const address = this.#grow(frames);
    if (address === null) throw new ArenaFull();
    return address;
  }

  #grow(frames: number): number | null {
    if (this.#arena.frames + frames > this.#framesMax || !this.#budget.take(frames)) return null;
    const address = this.#arena.grow(frames);
    if (address === null) this.#budget.give(frames);
    else this.#framesTaken += frames;
    return address;
  }

  #reclaim(): void {
    if (this.#retired.length === 0) return;
    const oldest = this.#epochs.oldestPinned();
    const ready = this.#retired.filter((lot) => lot.epoch <= oldest);
    if (ready.length === 0) return;
    this.#retired = this.#retired.filter((lot) => lot.epoch > oldest);
    for (const lot of ready) {
      // One by one: a large namespace has more blocks than a call takes arguments.
      for (const frame of lot.frames) this.#freeFrames.push(frame);
      for (const block of lot.blocks) this.#freeBlocks.push(block);
    }
  }
}
