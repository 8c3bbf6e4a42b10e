// What a reader must know of a text index beyond the shared bytes: plain data, posted in the order in which it arises.
import type { TermRun } from './term-run.ts';

/** Growing lists of addresses. */
export type TextList = 'keys' | 'terms' | 'lists' | 'heads' | 'blocks';

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
  /** Pages of the bitmap of a term from the `first`-th on; 0 where the term is too rare for one. */
  | {
      readonly kind: 'bitmap';
      readonly term: number;
      readonly first: number;
      readonly addresses: readonly number[];
    }
  /** Blocks of the lengths of a field from the `first`-th on; 0 where no slot has the field. */
  | {
      readonly kind: 'lengths';
      readonly field: number;
      readonly first: number;
      readonly addresses: readonly number[];
    };

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
