// Memory for tests of posting lists: a shared memory that grows, hands out dirty frames and counts them.
import { BLOCK_BYTES } from '../../memory/allocator.ts';
import { Arena, FRAME_BYTES } from '../../memory/arena.ts';
import type { PostingListMemory } from '../layout.ts';

export class TestMemory implements PostingListMemory {
  readonly arena: Arena;
  /** Bytes handed out. */
  bytes = 0;

  constructor(arena: Arena = Arena.create()) {
    this.arena = arena;
  }

  readonly words = (endByte: number): Uint32Array<SharedArrayBuffer> => this.arena.words(endByte);

  frame(): number {
    this.bytes += FRAME_BYTES;
    return this.area(FRAME_BYTES, 0xaa);
  }

  block(): number {
    this.bytes += BLOCK_BYTES;
    return this.area(BLOCK_BYTES, 0);
  }

  /** Address of at least `bytes` bytes, each with this value. */
  area(bytes: number, value: number): number {
    const frames = Math.ceil(bytes / FRAME_BYTES);
    const address = this.arena.grow(frames);
    if (address === null) throw new Error('the memory of the test is full');
    const { buffer } = this.arena.words(address + frames * FRAME_BYTES);
    new Uint8Array(buffer, address, frames * FRAME_BYTES).fill(value);
    return address;
  }
}
