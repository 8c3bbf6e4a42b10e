// Where the parts of a loaded namespace lie in the arenas: plain data that the writer sends to readers.
import type { ColumnDelta } from '../filters/structure.ts';
import type { PostingListDelta } from '../sparse/structure.ts';
import type { TextStructure } from '../text/structure.ts';

/** Parts added to a segment since the last delta. All addresses are bytes in its arena. */
export interface StructureGrowth {
  /** Code frames, rowsPerFrame slots each. */
  readonly frames: readonly number[];
  /** Bitmaps of live slots, LIVE_SLOTS_PER_BLOCK slots each. */
  readonly liveBlocks: readonly number[];
  /** Rows of slots and offsets of their ids, SLOTS_PER_BLOCK slots each. */
  readonly slotBlocks: readonly number[];
  /** The ids themselves, as in an IdList. */
  readonly idBlocks: readonly number[];
  readonly postings: readonly PostingListDelta[];
  readonly columns: readonly ColumnDelta[];
  readonly texts: TextStructure;
}

/** One segment of a namespace. */
export interface NamespaceStructure extends StructureGrowth {
  readonly namespaceId: number;
  /** Number of its arena. */
  readonly arena: number;
  /** Header block; words as in HeaderWord. */
  readonly header: number;
  /** What its codes are relative to; null for zero. */
  readonly origin: Float32Array<ArrayBuffer> | null;
}

export type StructureDelta =
  /** A new arena; one of this number until now has nothing in it any more, and is to be dropped. */
  | { readonly kind: 'arena'; readonly number: number; readonly memory: WebAssembly.Memory }
  /** The index was evicted: nothing is in memory, this is the new first arena, and earlier ones are to be dropped. */
  | { readonly kind: 'emptied'; readonly memory: WebAssembly.Memory }
  /** The namespace is in memory, in these segments and no others. */
  | {
      readonly kind: 'loaded';
      readonly namespaceId: number;
      readonly segments: readonly NamespaceStructure[];
    }
  /** One more segment of a namespace. */
  | { readonly kind: 'segment'; readonly namespaceId: number; readonly structure: NamespaceStructure }
  | {
      readonly kind: 'grown';
      readonly namespaceId: number;
      readonly segment: number;
      readonly growth: StructureGrowth;
    }
  | { readonly kind: 'dropped'; readonly namespaceId: number }
  /** The namespace does not fit in memory: search its records on disk. */
  | { readonly kind: 'tooLarge'; readonly namespaceId: number };

/** Word numbers in a namespace's header block. */
export const HeaderWord = {
  /** A seqlock: odd while the writer changes the header. */
  Version: 0,
  /** Number of slots. */
  SlotCount: 1,
  LiveCount: 2,
  /** Sequence number of the last write published, as 2^32 * high + low. */
  SeqLow: 3,
  SeqHigh: 4,
  /** Address of the graph's header, or 0; the number of slots it covers; address of the list of those it refused. */
  Graph: 5,
  GraphSlots: 6,
  Unplaced: 7,
  /** Seconds of Date.now() when a reader last took a snapshot; readers write it. */
  LastUsed: 8,
} as const;

export const LIVE_SLOTS_PER_BLOCK = 4_096 * 8;

/** Word numbers of a slot in its block: both words are read together, so they share a cache line. */
export const SlotWord = { Row: 0, IdOffset: 1 } as const;
export const SLOT_WORDS = 2;
export const SLOTS_PER_BLOCK = 4_096 / 4 / SLOT_WORDS;
