// The SIMD kernel as TypeScript sees it: one instance per thread, over the memory that all threads share.
import type { Metric } from '../../../domain/index-model.ts';
import type { GraphKernel } from './graph-interface.ts';
import type { Address, SparseTerms } from './kernel-types.ts';
import type { PostingListKernel } from './posting-lists-interface.ts';
import type { TextListKernel } from './text-lists.ts';

export type * from './kernel-types.ts';

/**
 * Two builds of one source. Both compute the same bits; docs/decisions/016-exact-search.md says which is faster where.
 */
export type KernelBuild = 'relaxed' | 'plain';

export interface HeapSummary {
  /** Entries kept: (key f32, slot u32) from HEAP_HEADER_BYTES on, best first. */
  readonly count: number;
  /** Entries offered; more than `count` when some were rejected. */
  readonly offered: number;
  /** Key of the last entry, which no rejected entry exceeds. -Infinity when none was rejected. */
  readonly droppedBound: number;
}

export interface DenseScan {
  readonly query: Address;
  readonly heap: Address;
  readonly frame: Address;
  readonly rowCount: number;
  /** Slot of row 0; the slots of a frame are consecutive. */
  readonly firstSlot: number;
  /** u32 array whose bit i tells whether slot i matches. */
  readonly bitmap: Address;
  /** f32 array of a sparse score per slot to add to the keys; 0 for none. */
  readonly sparseScores: Address | 0;
}

export interface SparseScan {
  /** A block filled by `prepareSparseQuery`. */
  readonly query: Address;
  readonly frame: Address;
  /** Bytes of the frame in use. */
  readonly bytesUsed: number;
  readonly bitmap: Address;
}

/** Cells of 8 bytes (filters/cell.ts); what is read goes on to a multiple of 32. */
export interface Cells {
  readonly address: Address;
  readonly count: number;
}

export interface Kernel {
  readonly build: KernelBuild;
  readonly graph: GraphKernel;
  readonly postings: PostingListKernel;
  readonly texts: TextListKernel;
  /** Writes codes and metadata, except for the row number, of `dim` floats at `source` as row `row` of `frame`. */
  encodeRow(source: Address, dim: number, frame: Address, row: number): void;
  /** Fills the dense query's block at `query` from `dim` floats at `source`. */
  prepareQuery(
    source: Address,
    query: Address,
    kind: { readonly dim: number; readonly metric: Metric },
  ): void;
  /**
   * Clears the bits of a u32 array that another one does not have, over `words` words.
   * @returns the number of bits left
   */
  intersectBits(bitmap: Address, other: Address, words: number): number;
  /** The number of bits set in a u32 array. */
  countBits(bitmap: Address, words: number): number;
  /** Writes a bit for each cell: set for numbers from `low` to `high`; the rest of the last word is 0. */
  testWithin(cells: Cells, range: { readonly low: number; readonly high: number }, bits: Address): void;
  /** As `testWithin`, for one cell, by its two words. */
  testCell(cells: Cells, cell: { readonly low: number; readonly high: number }, bits: Address): void;
  /** As `testWithin`, for the cells of a set, as CellSet stores it. */
  testMember(cells: Cells, set: Address, bits: Address): void;
  /** Empties a heap, and sets its capacity in entries (1 or more) and the least key that it accepts; default any. */
  resetHeap(heap: Address, capacity: number, least?: number): void;
  /**
   * Offers (upper bound of the score, slot) of every matching row. Here, higher is better: dot product, cosine, or
   * minus the squared distance.
   */
  scanFrame(scan: DenseScan): void;
  /** Sorts a heap best first, ties by slot. Reset the heap before the next scan. */
  finishHeap(heap: Address): HeapSummary;
  /** The score of a float row: dot product, cosine, or squared distance; within 2e-6 of |q||x|, or of the distance. */
  scoreRow(query: Address, row: Address): number;
  /** The scores of consecutive float rows, as f64 from `scores` (8-byte aligned) on. */
  scoreRows(
    query: Address,
    rows: { readonly address: Address; readonly count: number },
    scores: Address,
  ): void;
  /**
   * Fingerprints of consecutive float rows, as u32 from `prints` (4-byte aligned) on: never 0, equal for equal bits, and
   * different for others but by a chance of 2^-32. They are of this process only, never stored.
   */
  fingerprintRows(
    rows: { readonly address: Address; readonly count: number; readonly dim: number },
    prints: Address,
  ): void;
  /** Fills the sparse query's block at `query`. */
  prepareSparseQuery(terms: SparseTerms, query: Address): void;
  /** Offers (score, slot) of every matching entry that shares an index with the query. */
  scanSparseFrame(scan: SparseScan, heap: Address): void;
  /** Writes every matching entry's score, 0 when no index is shared, at its slot in the f32 array at `scores`. */
  storeSparseScores(scan: SparseScan, scores: Address): void;
  /** The score that scans round to f32: products and sum in f64, in the order of `terms`. */
  sparseDot(query: Address, terms: SparseTerms): number;
}
