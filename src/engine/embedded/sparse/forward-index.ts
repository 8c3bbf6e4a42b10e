// The forward index: every sparse vector as it was given, one after the other in frames, found by its slot.
import type { SparseVector } from '../../port/reader-and-writer.ts';
import { FRAME_BYTES } from '../kernels/layout.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import {
  ENTRY_COUNT_MASK,
  ENTRY_HEADER_BYTES,
  ENTRY_NARROW,
  ENTRY_NONE,
  FIRST_ENTRY_BYTE,
  POSITION_FRAME_SHIFT,
  type PostingListMemory,
  SLOT_BLOCK_BYTES,
  SLOTS_PER_BLOCK,
} from './layout.ts';
import type { RestoringLists, SavedForwardIndex } from './saved-lists.ts';
import type { ForwardPosition, PostingListDelta } from './structure.ts';

const NARROW_INDEX_MAX = 0xffff;
const NONE_BYTES = 4;
/** A position has 16 bits for its frame. */
const FRAMES_MAX = 2 ** (32 - POSITION_FRAME_SHIFT);

/** Receives one term of an entry. */
export type TermVisitor = (slot: number, index: number, value: number) => void;

export class ForwardIndex {
  readonly #memory: PostingListMemory;
  readonly #frames: number[] = [];
  readonly #slotBlocks: number[] = [];
  #announced = { frames: 0, slotBlocks: 0 };
  #byte = FIRST_ENTRY_BYTE;
  #float: Float32Array<ArrayBufferLike> = new Float32Array(0);

  constructor(memory: PostingListMemory) {
    this.#memory = memory;
  }

  /** Where the next entry goes, or the end of the frame if it does not fit. */
  get end(): ForwardPosition {
    return { frame: Math.max(0, this.#frames.length - 1), byte: this.#byte };
  }

  /**
   * Appends the sparse vector of a slot. Nothing has to be published: readers stop at slots beyond their snapshot, and
   * at ENTRY_NONE, which always follows the last entry.
   */
  append(slot: number, { indices, values }: SparseVector): void {
    const count = indices.length;
    const isNarrow = indices.every((index) => index <= NARROW_INDEX_MAX);
    const indexBytes = isNarrow ? Math.ceil(count / 2) * 4 : count * 4;
    const bytes = ENTRY_HEADER_BYTES + indexBytes + count * 4;
    const frame = this.#frameFor(bytes + NONE_BYTES);
    const words = this.#memory.words(frame + FRAME_BYTES);
    const at = (frame + this.#byte) / 4;
    words[at + bytes / 4] = ENTRY_NONE;
    words[at + 1] = isNarrow ? (count | ENTRY_NARROW) >>> 0 : count;
    if (isNarrow) new Uint16Array(words.buffer, (at + 2) * 4, count).set(indices);
    else words.set(indices, at + 2);
    this.#floats(words).set(values, at + (ENTRY_HEADER_BYTES + indexBytes) / 4);
    this.#setPosition(slot, ((this.#frames.length - 1) << POSITION_FRAME_SHIFT) | this.#byte);
    Atomics.store(words, at, slot);
    this.#byte += bytes;
  }

  /** What `restore` needs; entries appended later do no harm. */
  save(): { readonly saved: SavedForwardIndex; readonly parts: readonly Part[] } {
    const saved = {
      frames: this.#frames.length,
      byte: this.#byte,
      slotBlocks: this.#slotBlocks.length,
    };
    return { saved, parts: this.#parts() };
  }

  /** Allocates a saved index in this empty one. @throws when memory is full */
  restore({ frames, byte, slotBlocks }: SavedForwardIndex, slotCount: number): RestoringLists {
    while (this.#frames.length < frames) this.#frames.push(this.#memory.frame());
    while (this.#slotBlocks.length < slotBlocks) this.#slotBlocks.push(this.#memory.block());
    this.#byte = byte;
    return {
      parts: this.#parts(),
      finish: () => {
        // Hides what was appended while the file was written.
        const last = this.#frames.at(-1);
        if (last !== undefined) this.#memory.words(last + FRAME_BYTES)[(last + byte) / 4] = ENTRY_NONE;
        for (let slot = slotCount; slot < slotBlocks * SLOTS_PER_BLOCK; slot++) this.#setPosition(slot, 0);
      },
    };
  }

  #parts(): readonly Part[] {
    return [
      { name: 'sparse-entries', addresses: [...this.#frames], bytesEach: FRAME_BYTES },
      { name: 'sparse-slots', addresses: [...this.#slotBlocks], bytesEach: SLOT_BLOCK_BYTES },
    ];
  }

  /** Visits the terms of all entries from a position on, in order. */
  visit(from: ForwardPosition, visitor: TermVisitor): void {
    for (let frame = from.frame; frame < this.#frames.length; frame++) {
      const address = this.#frames[frame] ?? 0;
      const words = this.#memory.words(address + FRAME_BYTES);
      let at = (address + (frame === from.frame ? from.byte : FIRST_ENTRY_BYTE)) / 4;
      while (words[at] !== ENTRY_NONE) at = this.#visitEntry(words, at, visitor);
    }
  }

  takeDeltas(): PostingListDelta[] {
    const { frames, slotBlocks } = this.#announced;
    this.#announced = { frames: this.#frames.length, slotBlocks: this.#slotBlocks.length };
    return this.#deltasFrom(frames, slotBlocks);
  }

  snapshot(): PostingListDelta[] {
    return this.#deltasFrom(0, 0);
  }

  #deltasFrom(firstFrame: number, firstBlock: number): PostingListDelta[] {
    const frames = this.#frames.slice(firstFrame);
    const blocks = this.#slotBlocks.slice(firstBlock);
    const deltas: PostingListDelta[] = [];
    if (frames.length > 0) deltas.push({ kind: 'stream', first: firstFrame, addresses: frames });
    if (blocks.length > 0) deltas.push({ kind: 'slots', first: firstBlock, addresses: blocks });
    return deltas;
  }

  /** @returns the word after the entry */
  #visitEntry(words: Uint32Array<SharedArrayBuffer>, at: number, visitor: TermVisitor): number {
    const slot = words[at] ?? 0;
    const head = words[at + 1] ?? 0;
    const count = head & ENTRY_COUNT_MASK;
    const isNarrow = head >>> 0 >= ENTRY_NARROW;
    const values = at + 2 + (isNarrow ? Math.ceil(count / 2) : count);
    const floats = this.#floats(words);
    for (let i = 0; i < count; i++) {
      const index = isNarrow
        ? ((words[at + 2 + (i >> 1)] ?? 0) >>> ((i & 1) << 4)) & 0xffff
        : words[at + 2 + i];
      visitor(slot, index ?? 0, floats[values + i] ?? 0);
    }
    return values + count;
  }

  #frameFor(bytes: number): number {
    const last = this.#frames.at(-1);
    if (last !== undefined && this.#byte + bytes <= FRAME_BYTES) return last;
    if (this.#frames.length === FRAMES_MAX) throw new RangeError('the stream has too many frames');
    const frame = this.#memory.frame();
    this.#memory.words(frame + FRAME_BYTES)[(frame + FIRST_ENTRY_BYTE) / 4] = ENTRY_NONE;
    this.#frames.push(frame);
    this.#byte = FIRST_ENTRY_BYTE;
    return frame;
  }

  #setPosition(slot: number, position: number): void {
    const number = Math.floor(slot / SLOTS_PER_BLOCK);
    while (this.#slotBlocks.length <= number) this.#slotBlocks.push(this.#memory.block());
    const block = this.#slotBlocks[number] ?? 0;
    this.#memory.words(block + SLOT_BLOCK_BYTES)[block / 4 + (slot % SLOTS_PER_BLOCK)] = position >>> 0;
  }

  #floats(words: Uint32Array<SharedArrayBuffer>): Float32Array {
    if (this.#float.buffer !== words.buffer) this.#float = new Float32Array(words.buffer);
    return this.#float;
  }
}
