// What the kernel offers on inverted lists of sparse vectors; how they are searched: docs/decisions/022-sparse-search.md.
import type { Address, SparseTerms } from './kernel-types.ts';

export interface ListBounding {
  /** A block filled by `prepare`. */
  readonly query: Address;
  /** Table of the chunk's list frames: (first index u32, address u32) each. */
  readonly frames: Address;
  readonly frameCount: number;
  /** Slots of the chunk. */
  readonly slotCount: number;
  /** Scores below this are of no interest; -Infinity for all. */
  readonly least: number;
  /** Room for an i32 a slot, padded to a multiple of DENSE_ALIGN_SLOTS; 16-byte aligned. */
  readonly sums: Address;
}

/** A chunk's sums, and which of its slots are wanted. */
export interface ChunkSums {
  /** The query's block, filled by `prepare`. */
  readonly query: Address;
  readonly sums: Address;
  /** Slots of the chunk to look at. */
  readonly slotCount: number;
  readonly firstSlot: number;
  /** Bit i of a u32 array: slot i is wanted. */
  readonly bitmap: Address;
  /** Lower sums, and 0, are of no interest. */
  readonly least: number;
}

export interface SumsTarget {
  /** Room for a u32 a slot. */
  readonly out: Address;
  /** Of the sums. */
  readonly unit: number;
  readonly heap: Address;
}

export interface EntryScan {
  readonly query: Address;
  readonly entry: Address;
  /** Entries of slots from here on are not looked at. */
  readonly slotLimit: number;
  readonly bitmap: Address;
  /** Lower scores are left out. */
  readonly least: number;
}

export interface PostingListKernel {
  /** Fills the block at `query`: `postingListQueryBytes` bytes, 16-byte aligned. */
  prepare(terms: SparseTerms, query: Address): void;
  /**
   * Writes a sum for every slot of a chunk: bound << SUM_COUNT_BITS | lists that have it, 0 for slots that share no index with
   * the query. A score is at most (bound + 1) * unit.
   * @returns the unit; 0 when no slot can reach `least`, and the sums are not written
   */
  bound(bounding: ListBounding): number;
  /** Offers (upper bound of the score, slot) of every wanted slot whose sum reaches `least`. */
  offer(sums: ChunkSums, target: SumsTarget): void;
  /**
   * Writes the wanted slots whose sum reaches `least` to `out`, as u32 numbers within the chunk.
   * @returns how many
   */
  collect(sums: ChunkSums, out: Address): number;
  /** Writes upper bounds f32 of the scores, 0 where nothing is shared, to `scores` on. */
  store(sums: Pick<ChunkSums, 'sums' | 'slotCount'>, unit: number, scores: Address): void;
  /** Exact score: products and sum in f64, in the entry's order; NaN when nothing is shared. */
  scoreEntry(query: Address, entry: Address): number;
  /**
   * Scores the wanted entries from one on, to the slot limit or the end of the frame, and writes (slot u32, score f32) of
   * those that share an index with the query.
   * @returns how many
   */
  scoreEntries(scan: EntryScan, out: Address): number;
}
