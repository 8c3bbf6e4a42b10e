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

/** The chunks that a search goes through. */
export interface ChunkSource {
  readonly words: SharedWords;
  readonly chunks: readonly Chunk[];
}

export interface PostingListSource extends ChunkSource {
  /** Address of a slot's entry in the forward index; 0 when it has none. */
  entryOf(slot: number): number;
  /** Calls back with the address of the first entry of every frame of entries that no posting list has. */
  visitUnindexed(visitor: (entry: number) => void): void;
}

/** Receives scored slots and keeps the top, with all that tie with the worst of them. */
export interface ScoreSink {
  /** How many it keeps; 1 or more. */
  readonly capacity: number;
  /** No key below this is kept; -Infinity until the capacity is reached. */
  readonly bound: number;
  offer(key: number, slot: number): void;
}

/** Scores of single slots, from the forward index. */
export interface ExactScores {
  /** The exact score, as `roundedScore`; NaN for slots that are no match. */
  scoreOf(slot: number): number;
  /** Offers the selected slots that no posting list has, of a score of `least`, an f32, or more. */
  scoreUnindexed(least: () => number, sink: Pick<ScoreSink, 'offer'>): void;
}
