// The layout of posting lists in blocks and frames of the shared memory, and of a search's scratch.
import { heapBytes, SPARSE_TERMS_MAX } from '../kernels/layout.ts';
import { postingListQueryBytes } from '../kernels/posting-lists.ts';
import {
  CHUNK_SLOTS_MAX,
  DENSE_ALIGN_SLOTS,
  FRAME_REFERENCE_BYTES,
  SCORED_BYTES,
} from '../kernels/posting-lists-constants.ts';

export * from '../kernels/posting-lists-constants.ts';

/** Where a writer gets frames and blocks from, and the words of the shared memory. */
export interface PostingListMemory {
  /** Allocates FRAME_BYTES of undefined content. @throws when memory is full @returns the byte address */
  frame(): number;
  /** Allocates 4,096 zeroed bytes. @throws when memory is full @returns the byte address */
  block(): number;
  /** The memory, at least up to `endByte`. */
  readonly words: SharedWords;
}

/** Returns the words of the shared memory, at least up to `endByte`; growth replaces them. */
export type SharedWords = (endByte: number) => Uint32Array<SharedArrayBuffer>;

export const SLOT_BLOCK_BYTES = 4_096;
export const SLOTS_PER_BLOCK = SLOT_BLOCK_BYTES / 4;
/** A position in the forward index as one word: frame << POSITION_FRAME_SHIFT byte. 0 for slots without an entry. */
export const POSITION_FRAME_SHIFT = 16;
/** Where the entries of a frame start, so that no entry is at position 0. */
export const FIRST_ENTRY_BYTE = 8;

/**
 * Maximum terms of all records of a chunk, unless a single record has more: bounds the unindexed entries that queries
 * scan.
 */
export const CHUNK_TERMS_MAX = 2 ** 19;
/** Terms take at most 9 bytes; frames lose at most one dense list at their ends. */
export const CHUNK_FRAMES_MAX = 128;

/** Addresses of the blocks that a search works in. */
export interface PostingListLayout {
  readonly query: number;
  readonly indices: number;
  readonly values: number;
  readonly frames: number;
  readonly sums: number;
  readonly found: number;
  readonly heap: number;
  /** First byte after the last block. */
  readonly end: number;
}

/** Maximum entries of a frame of the forward index, or slots of a chunk, whichever is more. */
const FOUND_MAX = 4_096;
const ALIGN_BYTES = 64;

/**
 * Bytes of scratch for a query of `terms` terms and the best `capacity`.
 * @throws RangeError above SPARSE_TERMS_MAX terms
 */
export function postingListScratchBytes(size: { readonly terms: number; readonly capacity: number }): number {
  if (size.terms > SPARSE_TERMS_MAX) throw new RangeError(`a query of ${size.terms} terms`);
  return layOutPostingLists(0, size).end;
}

/** Lays out a search's blocks from `address`, a multiple of 64. */
export function layOutPostingLists(
  address: number,
  { terms, capacity }: { readonly terms: number; readonly capacity: number },
): PostingListLayout {
  const indices = address + align(postingListQueryBytes(terms));
  const values = indices + align(4 * terms);
  const frames = values + align(4 * terms);
  const sums = frames + align(FRAME_REFERENCE_BYTES * CHUNK_FRAMES_MAX);
  const found = sums + align(4 * (CHUNK_SLOTS_MAX + DENSE_ALIGN_SLOTS));
  const heap = found + align(SCORED_BYTES * FOUND_MAX);
  const end = heap + align(heapBytes(boundsCapacity(capacity)));
  return { query: address, indices, values, frames, sums, found, heap, end };
}

/** Upper bounds to keep for the best `capacity`: more than their order is likely to need. */
export function boundsCapacity(capacity: number): number {
  return 2 * capacity + 64;
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGN_BYTES) * ALIGN_BYTES;
}
