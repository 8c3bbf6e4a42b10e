// What a derived file holds of posting lists besides their frames and blocks: plain data, without addresses.
import type { Part } from '../storage/derived-files/parts.ts';
import type { ChunkStructure, ForwardPosition } from './structure.ts';

export interface SavedForwardIndex {
  readonly frames: number;
  /** Where the next entry goes in the last frame. */
  readonly byte: number;
  readonly slotBlocks: number;
}

export interface SavedPostingLists {
  readonly entries: SavedForwardIndex;
  /** With the number of frames in place of their addresses. */
  readonly chunks: readonly (Omit<ChunkStructure, 'frames'> & { readonly frames: number })[];
  readonly lastSlot: number;
  readonly unindexed: {
    readonly position: ForwardPosition;
    readonly firstSlot: number;
    readonly terms: number;
  };
}

/** Allocated parts, to be filled from a file. */
export interface RestoringLists {
  readonly parts: readonly Part[];
  /** Completes them once they are filled. */
  finish(): void;
}
