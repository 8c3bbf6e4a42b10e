// The kernel's search of the posting lists of texts: each call works on the block of a search, whose fields are in
// text-lists-constants.ts.
import type { Address } from './kernel-types.ts';

/** The kernel's exports on texts. */
export interface TextListExports {
  openTextCursors(search: Address, count: number): void;
  searchTextUnion(search: Address): number;
  searchTextConjunction(search: Address): number;
  markTextSlots(search: Address): void;
  keepFirstTexts(search: Address): void;
}

export interface TextListKernel {
  /** Places the first `count` cursors before their lists. */
  open(search: Address, count: number): void;
  /** Goes on with a search for any of the terms, with two cursors for each. @returns TEXT_DONE or TEXT_FULL */
  union(search: Address): number;
  /** Goes on with a search that requires terms. @returns TEXT_DONE, TEXT_FULL or TEXT_TOO_MANY_POSITIONS */
  conjunction(search: Address): number;
  /** Sets the bits of the slots of the first cursor's list in the bitmap of matches. */
  mark(search: Address): void;
  /** Drops hits but the best, and of those that tie with the last all but the first by their ids. */
  keepFirst(search: Address): void;
}

export function bindTextLists(raw: TextListExports): TextListKernel {
  return {
    open: raw.openTextCursors,
    union: raw.searchTextUnion,
    conjunction: raw.searchTextConjunction,
    mark: raw.markTextSlots,
    keepFirst: raw.keepFirstTexts,
  };
}
