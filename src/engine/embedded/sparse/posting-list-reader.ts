// The readers' side of a namespace's posting lists: follows their structure, and opens searches on it.
import { FRAME_BYTES } from '../kernels/layout.ts';
import { KernelScores } from './kernel-scores.ts';
import {
  FIRST_ENTRY_BYTE,
  FRAME_REFERENCE_BYTES,
  LIST_FRAME_HEADER_BYTES,
  POSITION_FRAME_SHIFT,
  type SharedWords,
  SLOT_BLOCK_BYTES,
  SLOTS_PER_BLOCK,
} from './layout.ts';
import { type PostingListQuery, PostingListSearch } from './posting-list-search.ts';
import type { Chunk, PostingListSource } from './posting-list-source.ts';
import type { ChunkStructure, ForwardPosition, PostingListDelta, PostingListStructure } from './structure.ts';

export interface PostingListReaderOptions {
  readonly words: SharedWords;
  /** The writer's snapshot; a reader that sees all deltas from the first needs none. */
  readonly structure?: PostingListStructure;
}

export class PostingListReader implements PostingListSource {
  readonly words: SharedWords;
  readonly chunks: Chunk[] = [];
  readonly #stream: number[] = [];
  readonly #slotBlocks: number[] = [];
  #unindexed: ForwardPosition = { frame: 0, byte: FIRST_ENTRY_BYTE };

  constructor({ words, structure = [] }: PostingListReaderOptions) {
    this.words = words;
    this.apply(structure);
  }

  /** Applies deltas or a snapshot, in the order the writer made them; what is known already does no harm. */
  apply(deltas: readonly PostingListDelta[]): void {
    for (const delta of deltas) {
      if (delta.kind === 'chunk') this.#addChunk(delta.number, delta.chunk);
      else addAddresses(delta.kind === 'stream' ? this.#stream : this.#slotBlocks, delta);
    }
  }

  /** Prepares a search; one at a time per scratch. */
  open(query: PostingListQuery): PostingListSearch {
    return new PostingListSearch(this, query, new KernelScores(this, query));
  }

  /** Address of a slot's entry in the forward index; 0 when it has none. */
  entryOf(slot: number): number {
    const block = this.#slotBlocks[Math.floor(slot / SLOTS_PER_BLOCK)];
    if (block === undefined) return 0;
    const position = this.words(block + SLOT_BLOCK_BYTES)[block / 4 + (slot % SLOTS_PER_BLOCK)] ?? 0;
    if (position === 0) return 0;
    return (
      (this.#stream[position >>> POSITION_FRAME_SHIFT] ?? 0) + (position & (2 ** POSITION_FRAME_SHIFT - 1))
    );
  }

  /** Calls back with the address of the first entry of every frame of entries that no posting list has. */
  visitUnindexed(visitor: (entry: number) => void): void {
    for (let frame = this.#unindexed.frame; frame < this.#stream.length; frame++) {
      const byte = frame === this.#unindexed.frame ? this.#unindexed.byte : FIRST_ENTRY_BYTE;
      visitor((this.#stream[frame] ?? 0) + byte);
    }
  }

  #addChunk(number: number, { firstSlot, endSlot, frames: addresses, unindexed }: ChunkStructure): void {
    if (number < this.chunks.length) return;
    if (number > this.chunks.length) throw new Error(`chunks ${this.chunks.length} to ${number} are missing`);
    const frames = frameTable(addresses, this.words);
    this.chunks.push({ firstSlot, endSlot, frames, frameCount: addresses.length });
    this.#unindexed = unindexed;
  }
}

function addAddresses(
  known: number[],
  { kind, first, addresses }: Extract<PostingListDelta, { readonly addresses: readonly number[] }>,
): void {
  if (first > known.length) throw new Error(`parts ${known.length} to ${first} of ${kind} are missing`);
  for (const [at, address] of addresses.entries()) known[first + at] = address;
}

/** The kernel's table of list frames: the first index and the address of each. */
export function frameTable(addresses: readonly number[], words: SharedWords): Uint32Array {
  const frames = new Uint32Array((addresses.length * FRAME_REFERENCE_BYTES) / 4);
  for (const [i, address] of addresses.entries()) {
    frames[2 * i] = words(address + FRAME_BYTES)[(address + LIST_FRAME_HEADER_BYTES) / 4] ?? 0;
    frames[2 * i + 1] = address;
  }
  return frames;
}
