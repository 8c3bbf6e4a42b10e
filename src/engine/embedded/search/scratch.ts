// One reader's scratch space in an arena: an area that grows when a query needs more, and is reused.
import { type Arena, FRAME_BYTES } from '../memory/arena.ts';

/** Twice the need, so that a growing namespace does not leave a trail of outgrown areas. */
export const SCRATCH_GROWTH = 2;

export class Scratch {
  readonly #arena: Arena;
  #address = 0;
  #bytes = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /**
   * Address of at least `bytes` bytes, 64 KiB aligned; content undefined.
   * @returns null when the arena is full
   */
  area(bytes: number): number | null {
    if (bytes <= this.#bytes) return this.#address;
    const frames = Math.ceil((bytes * SCRATCH_GROWTH) / FRAME_BYTES);
    const address = this.#arena.grow(frames);
    if (address === null) return null;
    this.#address = address;
    this.#bytes = frames * FRAME_BYTES;
    return address;
  }
}
