// What a reader must know of a text index beyond the shared bytes: plain data, posted in the order in which it arises.
import type { ChunkStructure } from '../sparse/structure.ts';
import type { TermRun } from './term-run.ts';

/** Growing lists: addresses, and of `large`, slots. */
export type TextList = 'keys' | 'terms' | 'entries' | 'slots' | 'large';

/** A step in the growth of a text index. Applying one twice is harmless. */
export type TextDelta =
  /** The block of statistics. */
  | { readonly kind: 'statistics'; readonly address: number }
  /** Frames or blocks of a list from its `first`-th on: byte addresses. */
  | {
      readonly kind: 'list';
      readonly list: TextList;
      readonly first: number;
      readonly addresses: readonly number[];
    }
  /** The `number`-th hash table of terms: equally long pieces, one after the other. */
  | { readonly kind: 'table'; readonly number: number; readonly table: TermTable }
  /** The runs of sorted terms, in place of those before. */
  | { readonly kind: 'sorted'; readonly terms: SortedTermsStructure }
  /** The `number`-th chunk of slots with posting lists. */
  | { readonly kind: 'chunk'; readonly number: number; readonly chunk: TextChunk };

/** All steps so far. */
export type TextStructure = readonly TextDelta[];

/** The sorted terms, as readers must know them. */
export interface SortedTermsStructure {
  readonly runs: readonly TermRun[];
  /** Terms from this number on are in no run. */
  readonly sorted: number;
}

export interface TermTable {
  readonly addresses: readonly number[];
  /** Entries of a piece; a power of two, as the number of pieces. */
  readonly entriesEach: number;
}

export interface TextChunk extends Omit<ChunkStructure, 'unindexed'> {
  /** The average length of each field, in tokens, that its impacts were computed with; by number of the field. */
  readonly averages: readonly number[];
}
