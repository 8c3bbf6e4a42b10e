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
   * @param bytes 1 or more
   * @returns null when the arena is full
   * @throws RangeError for anything else: a wrong size would place the area over memory of the index
   */
  area(bytes: number): number | null {
    if (!Number.isSafeInteger(bytes) || bytes < 1) throw new RangeError(`an area of ${bytes} bytes`);
    if (bytes <= this.#bytes) return this.#address;
    const frames = Math.ceil((bytes * SCRATCH_GROWTH) / FRAME_BYTES);
    const address = this.#arena.grow(frames);
    if (address === null) return null;
    this.#address = address;
    this.#bytes = frames * FRAME_BYTES;
    return address;
  }
}
