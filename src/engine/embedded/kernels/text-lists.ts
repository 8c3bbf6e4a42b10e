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
  openTextLookup(search: Address, number: number): void;
  lookUpText(search: Address, number: number, slot: number): number;
  textPositions(search: Address, number: number): Address;
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
  /** Places a cursor that looks slots up. */
  openLookup(search: Address, number: number): void;
  /** How often a slot has the term of a cursor; 0 when it lacks it. */
  lookUp(search: Address, number: number, slot: number): number;
  /** Where the positions of the term lie in the slot that was looked up last: varints, each the difference to the one before. */
  positions(search: Address, number: number): Address;
}

export function bindTextLists(raw: TextListExports): TextListKernel {
  return {
    open: raw.openTextCursors,
    union: raw.searchTextUnion,
    conjunction: raw.searchTextConjunction,
    mark: raw.markTextSlots,
    keepFirst: raw.keepFirstTexts,
    openLookup: raw.openTextLookup,
    lookUp: raw.lookUpText,
    positions: (search, number) => raw.textPositions(search, number) >>> 0,
  };
}
