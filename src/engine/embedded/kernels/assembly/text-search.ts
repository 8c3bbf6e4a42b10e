// Entry points of the search of texts: each works on the block of a search, as text-lists-constants.ts has it.
import {
  CURSOR_AT,
  TEXT_CURSOR_BYTES,
  TEXT_SEARCH_CURSOR_COUNT,
  TEXT_SEARCH_CURSORS,
  TEXT_SEARCH_LOOKUPS,
} from '../text-lists-constants';
import { find, nextFrom, openCursor, rewind, occurrencesAt, positionsOf, useFrames } from './text-cursor';
import { searchConjunction } from './text-conjunction';
import { keepFirstIds } from './text-ties';
import { markSlots, searchUnion } from './text-union';

/** Opens `count` cursors from the first on. */
export function openTextCursors(search: usize, count: i32): void {
  useFrames(search);
  const cursors = <usize>load<u32>(search, TEXT_SEARCH_CURSORS);
  for (let number = 0; number < count; number++) openCursor(cursors + <usize>number * TEXT_CURSOR_BYTES);
}

/** Goes on with a search for any of the terms. @returns TEXT_DONE, or TEXT_FULL when hits must be taken first */
export function searchTextUnion(search: usize): i32 {
  useFrames(search);
  return searchUnion(search);
}

/** Goes on with a search that requires terms. @returns TEXT_DONE, TEXT_FULL, or TEXT_TOO_MANY_POSITIONS */
export function searchTextConjunction(search: usize): i32 {
  useFrames(search);
  return searchConjunction(search);
}

/** Marks the slots of the first cursor's list in the bitmap of matches. */
export function markTextSlots(search: usize): void {
  useFrames(search);
  markSlots(search);
}

/** Leaves the best hits, and of those that tie with the last the ones with the first ids. */
export function keepFirstTexts(search: usize): void {
  keepFirstIds(search);
}

@inline
function lookupAt(search: usize, number: u32): usize {
  return <usize>load<u32>(search, TEXT_SEARCH_LOOKUPS) + <usize>number * TEXT_CURSOR_BYTES;
}

/** Opens a cursor that looks slots up. */
export function openTextLookup(search: usize, number: u32): void {
  useFrames(search);
  openCursor(lookupAt(search, number));
}

/** How often a slot has the term of a cursor. */
export function lookUpText(search: usize, number: u32, slot: u32): u32 {
  useFrames(search);
  const cursor = lookupAt(search, number);
  if (nextFrom(cursor) > slot) rewind(cursor);
  return find(cursor, slot) ? occurrencesAt(cursor, load<u32>(cursor, CURSOR_AT)) : 0;
}

/** Address of the positions in the slot that was looked up last. */
export function textPositions(search: usize, number: u32): usize {
  const cursor = lookupAt(search, number);
  return positionsOf(cursor, load<u32>(cursor, CURSOR_AT));
}
