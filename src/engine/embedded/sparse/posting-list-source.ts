// Posting lists as a search sees them.
import type { SharedWords } from './layout.ts';

/** A chunk of slots with posting lists, as searches need it. */
export interface Chunk {
  readonly firstSlot: number;
  readonly endSlot: number;
  /** The kernel's table of its frames: first index, address, and so on. */
  readonly frames: Uint32Array;
  readonly frameCount: number;
}

export interface PostingListSource {
  readonly words: SharedWords;
  readonly chunks: readonly Chunk[];
  /** Address of a slot's entry in the forward index; 0 when it has none. */
  entryOf(slot: number): number;
  /** Calls back with the address of the first entry of every frame of entries that no posting list has. */
  visitUnindexed(visitor: (entry: number) => void): void;
}
