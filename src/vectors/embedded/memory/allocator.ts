// Hands out frames, and 4 KiB blocks cut from frames, of an arena. One per index, used by its writer alone.
import { type Arena, FRAME_BYTES } from './arena.ts';
import type { Epochs } from './epochs.ts';

export const BLOCK_BYTES = 4_096;
/** Growing is a system call; sixteen frames (1 MiB) at a time keep it rare and waste little. */
const GROW_FRAMES = 16;

/** The arena has reached 4 GiB. The namespace that asked cannot stay in memory. */
export class ArenaFull extends Error {}

type Retired = {
  readonly epoch: number;
  readonly frames: readonly number[];
  readonly blocks: readonly number[];
};

export class Allocator {
  readonly #arena: Arena;
  readonly #epochs: Epochs;
  readonly #freeFrames: number[] = [];
  readonly #freeBlocks: number[] = [];
  #retired: Retired[] = [];

  constructor(arena: Arena, epochs: Epochs) {
    this.#arena = arena;
    this.#epochs = epochs;
  }

  /** Address of a frame; its content is undefined. @throws ArenaFull */
  frame(): number {
    this.#reclaim();
    const free = this.#freeFrames.pop();
    if (free !== undefined) return free;
    const grown = this.#arena.grow(GROW_FRAMES);
    if (grown === null) {
      const last = this.#arena.grow(1);
      if (last === null) throw new ArenaFull('the index memory of 4 GiB is full');
      return last;
    }
    for (let i = GROW_FRAMES - 1; i > 0; i--) this.#freeFrames.push(grown + i * FRAME_BYTES);
    return grown;
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

  /** Gives memory back for use once no reader can still be looking at it. */
  retire(frames: readonly number[], blocks: readonly number[]): void {
    this.#retired.push({ epoch: this.#epochs.advance(), frames, blocks });
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
