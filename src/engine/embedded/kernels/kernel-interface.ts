// What the SIMD kernel offers to TypeScript: one instance per thread over the memory all threads share.
import type { Metric } from '../../../domain/index-model.ts';
import type { GraphKernel } from './graph-interface.ts';
import type { Address, SparseTerms } from './kernel-types.ts';
import type { PostingListKernel } from './posting-lists-interface.ts';

export type * from './kernel-types.ts';

/** Two builds of one source. Both give the same bits; docs/decisions/016-exact-search.md says which is faster where. */
export type KernelBuild = 'relaxed' | 'plain';

export interface HeapSummary {
  /** Entries kept: (key f32, slot u32) from HEAP_HEADER_BYTES on, best first. */
  readonly count: number;
  /** Entries offered; more than `count` when some were dropped. */
  readonly offered: number;
  /** Key of the last entry: no dropped one scores higher. -Infinity when nothing was dropped. */
  readonly droppedBound: number;
}

export interface DenseScan {
  readonly query: Address;
  readonly heap: Address;
  readonly frame: Address;
  readonly rowCount: number;
  /** Slot of the frame's row 0; slots of a frame are consecutive. */
  readonly firstSlot: number;
  /** Bit i of a u32 array: slot i is wanted. */
  readonly bitmap: Address;
  /** An f32 per slot that is added to its key, or 0 for none. */
  readonly sparseScores: Address | 0;
}

export interface SparseScan {
  /** A block filled by `prepareSparseQuery`. */
  readonly query: Address;
  readonly frame: Address;
  /** Bytes of the frame that hold entries. */
  readonly bytesUsed: number;
  readonly bitmap: Address;
}

export interface Kernel {
  readonly build: KernelBuild;
  readonly graph: GraphKernel;
  readonly postings: PostingListKernel;
  /** Writes codes and meta, all but the row number, of `dim` floats at `source` as row `row` of `frame`. */
  encodeRow(source: Address, dim: number, frame: Address, row: number): void;
  /** Fills the dense query block at `query` from `dim` floats at `source`. */
  prepareQuery(
    source: Address,
    query: Address,
    kind: { readonly dim: number; readonly metric: Metric },
  ): void;
  /** Keeps the bits of a u32 array that another, of as many words, has too. @returns how many are left */
  intersectBits(bitmap: Address, other: Address, words: number): number;
  /** Bits that are set in a u32 array. */
  countBits(bitmap: Address, words: number): number;
  /** Empties a heap; `capacity` is 1 or more. */
  resetHeap(heap: Address, capacity: number): void;
  /**
   * Offers (upper bound of the score, slot) of every wanted row. Scores here are higher = better: inner product,
   * cosine, or minus the squared distance.
   */
  scanFrame(scan: DenseScan): void;
  /** Sorts a heap best first, ties by slot. The heap must be reset before the next scan. */
  finishHeap(heap: Address): HeapSummary;
  /** Score of a float row: inner product, cosine, or squared distance; within 2e-6 of |q||x|, or of the distance. */
  scoreRow(query: Address, row: Address): number;
  /** Scores of consecutive float rows, as f64 from `scores` (8-byte aligned) on. */
  scoreRows(
    query: Address,
    rows: { readonly address: Address; readonly count: number },
    scores: Address,
  ): void;
  /** Fills the sparse query block at `query`. */
  prepareSparseQuery(terms: SparseTerms, query: Address): void;
  /** Offers (score, slot) of every wanted entry that shares an index with the query. */
  scanSparseFrame(scan: SparseScan, heap: Address): void;
  /** Writes every wanted entry's score, 0 when nothing is shared, to its slot in the f32 array at `scores`. */
  storeSparseScores(scan: SparseScan, scores: Address): void;
  /** The score that the scans round to f32: products and sum in f64, in the order of `terms`. */
  sparseDot(query: Address, terms: SparseTerms): number;
}
