// Where the parts of a loaded namespace lie in the arena: what the writer tells readers, as plain data.
import type { ColumnDelta } from '../columns/structure.ts';

/** A frame of the sparse stream; `bytesUsed` is final for every frame but the last. */
export interface SparseFrame {
  readonly address: number;
  readonly bytesUsed: number;
}

/** Parts added to a namespace since the last delta. All addresses are bytes in the arena. */
export interface StructureGrowth {
  /** Code frames, rowsPerFrame slots each. */
  readonly frames: readonly number[];
  /** Bitmaps of live slots, LIVE_SLOTS_PER_BLOCK slots each. */
  readonly liveBlocks: readonly number[];
  /** Row numbers of slots, ROWS_PER_BLOCK slots each. */
  readonly rowBlocks: readonly number[];
  readonly sparseFrames: readonly number[];
  /** Bytes used of each sparse frame that is full now, in order. */
  readonly sparseFull: readonly number[];
  readonly columns: readonly ColumnDelta[];
}

export interface NamespaceStructure extends StructureGrowth {
  readonly spaceId: number;
  /** Header block; words as in HeaderWord. */
  readonly header: number;
}

export type StructureDelta =
  | { readonly kind: 'loaded'; readonly structure: NamespaceStructure }
  | { readonly kind: 'grown'; readonly spaceId: number; readonly growth: StructureGrowth }
  | { readonly kind: 'dropped'; readonly spaceId: number }
  /** The namespace does not fit in the arena: search its records directly. */
  | { readonly kind: 'tooLarge'; readonly spaceId: number };

/** Word numbers in a namespace's header block. */
export const HeaderWord = {
  /** Odd while the writer changes what this header says (a seqlock). */
  Version: 0,
  /** Slots handed out so far. */
  SlotCount: 1,
  LiveCount: 2,
  /** Sequence number of the last write published, as 2^32 * high + low. */
  SeqLow: 3,
  SeqHigh: 4,
  /** Where the sparse stream ends: frames begun, and bytes used of the last. */
  SparseFrames: 5,
  SparseBytes: 6,
} as const;

export const LIVE_SLOTS_PER_BLOCK = 4_096 * 8;
export const ROWS_PER_BLOCK = 4_096 / 4;
