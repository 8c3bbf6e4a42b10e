// The kernel's posting lists of sparse vectors. docs/decisions/022-sparse-search.md explains how they are searched.
import type { Address, SparseTerms } from './kernel-types.ts';

export interface ListBounding {
  /** A block filled by `prepare`. */
  readonly query: Address;
  /** Table of the chunk's list frames: (first index u32, address u32) each. */
  readonly frames: Address;
  readonly frameCount: number;
  /** Slots of the chunk. */
  readonly slotCount: number;
  /** Scores below this do not matter; -Infinity for all. */
  readonly least: number;
  /** i32 per slot, padded to a multiple of DENSE_ALIGN_SLOTS; 16-byte aligned. */
  readonly sums: Address;
}

/** The sums of a chunk, and which of its slots match. */
export interface ChunkSums {
  /** The query's block, filled by `prepare`. */
  readonly query: Address;
  readonly sums: Address;
  /** Slots of the chunk to consider. */
  readonly slotCount: number;
  readonly firstSlot: number;
  /** u32 array whose bit i tells whether slot i matches. */
  readonly bitmap: Address;
  /** Slots with a lower sum, or with 0, do not matter. */
  readonly least: number;
}

export interface SumsTarget {
  /** u32 per slot, to write to. */
  readonly out: Address;
  /** Unit of the sums. */
  readonly unit: number;
  readonly heap: Address;
}

export interface EntryScan {
  readonly query: Address;
  readonly entry: Address;
  /** Entries of slots from here on are ignored. */
  readonly slotLimit: number;
  readonly bitmap: Address;
  /** Lower scores are left out. */
  readonly least: number;
}

export interface PostingListKernel {
  /** Fills the query's block at `query`: `postingListQueryBytes` bytes, 16-byte aligned. */
  prepare(terms: SparseTerms, query: Address): void;
  /**
   * Writes a sum for every slot of a chunk: bound << SUM_COUNT_BITS
   * number of lists that contain it; 0 for slots that share no index with the query. A score is at most (bound + 1) *
   * unit.
   * @returns the unit; 0 when no slot can reach `least`, and no sums are written
   */
  bound(bounding: ListBounding): number;
  /** Offers (upper bound of the score, slot) of every matching slot whose sum reaches `least`. */
  offer(sums: ChunkSums, target: SumsTarget): void;
  /**
   * Writes the matching slots whose sum reaches `least` to `out`, as u32 numbers within the chunk.
   * @returns their count
   */
  collect(sums: ChunkSums, out: Address): number;
  /** Writes upper bounds f32 of the scores to `scores`, 0 where no index is shared. */
  store(sums: Pick<ChunkSums, 'sums' | 'slotCount'>, unit: number, scores: Address): void;
  /** The exact score: products and sum in f64, in the order of the entry; NaN when no index is shared. */
  scoreEntry(query: Address, entry: Address): number;
  /**
   * Scores the matching entries from one on, to the slot limit or the end of the frame, and writes (slot u32, score
   * f32) of those that share an index with the query.
   * @returns their count
   */
  scoreEntries(scan: EntryScan, out: Address): number;
}
