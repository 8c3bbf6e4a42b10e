// Appends byte strings to frames; a string longer than a frame gets contiguous ones of its own.

import { PieceList } from '../memory/piece-list.ts';
import { FIRST_BYTE, FRAME_BYTES, FRAMES_MAX, POSITION_FRAME_SHIFT, type TextMemory } from './layout.ts';
import type { SavedStream } from './saved-texts.ts';

export class StreamWriter {
  readonly frames = new PieceList();
  readonly #memory: TextMemory;
  /** Contiguous frames that were allocated together: number of the first, and how many. */
  readonly #runs: (readonly [first: number, count: number])[] = [];
  /** Frames that the last allocation took: its first has the number `length - lastRun`. */
  #lastRun = 0;
  #byte = FRAME_BYTES;

  constructor(memory: TextMemory) {
    this.#memory = memory;
  }

  /** @returns the position, a u32 other than 0. @throws when memory is full */
  append(bytes: Uint8Array, length: number): number {
    if (this.#byte + length > FRAME_BYTES) this.#allocate(length);
    const number = this.frames.addresses.length - this.#lastRun;
    const at = this.#byte;
    const address = (this.frames.addresses[number] ?? 0) + at;
    this.#memory.bytes(address + length).set(bytes.subarray(0, length), address);
    this.#byte += length;
    return ((number << POSITION_FRAME_SHIFT) | at) >>> 0;
  }

  /** What `restore` needs; strings appended later do no harm. */
  save(): SavedStream {
    return { frames: this.frames.addresses.length, runs: [...this.#runs], byte: this.#byte };
  }

  /** Allocates the frames of a saved stream in this empty one. @throws when memory is full */
  restore({ frames, runs, byte }: SavedStream): void {
    const counts = new Map(runs);
    while (this.frames.addresses.length < frames)
      this.#allocateRun(counts.get(this.frames.addresses.length) ?? 1);
    this.#byte = byte;
  }

  #allocate(length: number): void {
    const count = Math.ceil((FIRST_BYTE + length) / FRAME_BYTES);
    if (this.frames.addresses.length + count > FRAMES_MAX)
      throw new RangeError('the stream has too many frames');
    this.#allocateRun(count);
    this.#byte = FIRST_BYTE;
  }

  #allocateRun(count: number): void {
    const first = this.#memory.frames(count);
    if (count > 1) this.#runs.push([this.frames.addresses.length, count]);
    for (let i = 0; i < count; i++) this.frames.push(first + i * FRAME_BYTES);
    this.#lastRun = count;
  }
}
