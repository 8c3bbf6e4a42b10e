// Counts the occurrences of a phrase without slop in a slot: positions that all its terms have, after their offsets.
import {
  CLAUSE_FIRST,
  CLAUSE_MEMBERS,
  CURSOR_AT,
  CURSOR_POSITION,
  CURSOR_POSITION_AT,
  CURSOR_POSITIONS_LEFT,
  TEXT_CURSOR_BYTES,
  TEXT_MEMBER_BYTES,
  TEXT_SEARCH_MEMBERS,
  TEXT_SEARCH_POSITIONS_LEFT,
} from '../text-lists-constants';
import { varintAt, varintEnd } from './text-blocks';
import { occurrencesAt, positionsOf } from './text-cursor';
import { foundCount, foundPositions } from './text-found';

/** The cursor of a clause's member, `cursors` from the first on. */
@inline
export function memberCursor(search: usize, cursors: usize, member: u32): usize {
  const at = <usize>load<u32>(search, TEXT_SEARCH_MEMBERS) + <usize>member * TEXT_MEMBER_BYTES;
  return cursors + <usize>load<u32>(at) * TEXT_CURSOR_BYTES;
}

/** The occurrences of a phrase in the slot that all its cursors are at. */
export function phraseCount(search: usize, cursors: usize, clause: usize): u32 {
  const first = load<u32>(clause, CLAUSE_FIRST), end = first + load<u32>(clause, CLAUSE_MEMBERS);
  for (let member = first; member < end; member++) {
    const cursor = memberCursor(search, cursors, member), at = load<u32>(cursor, CURSOR_AT);
    openPositions(search, member, cursor, occurrencesAt(cursor, at), positionsOf(cursor, at));
  }
  return countCommon(search, cursors, first, end);
}

/** The occurrences of a phrase in a slot of the leading cursor's block, in which all its terms were found. */
export function foundPhraseCount(search: usize, cursors: usize, clause: usize, row: u32): u32 {
  const first = load<u32>(clause, CLAUSE_FIRST), end = first + load<u32>(clause, CLAUSE_MEMBERS);
  for (let member = first; member < end; member++) {
    const cursor = memberCursor(search, cursors, member);
    openPositions(search, member, cursor, foundCount(cursor, row), foundPositions(cursor, row));
  }
  return countCommon(search, cursors, first, end);
}

function openPositions(search: usize, member: u32, cursor: usize, occurrences: u32, positions: usize): void {
  store<u32>(cursor, <u32>positions, CURSOR_POSITION_AT);
  store<u32>(cursor, occurrences, CURSOR_POSITIONS_LEFT);
  store<i32>(cursor, -offsetOf(search, member), CURSOR_POSITION);
  readPosition(cursor);
  store<i32>(search, load<i32>(search, TEXT_SEARCH_POSITIONS_LEFT) - <i32>occurrences, TEXT_SEARCH_POSITIONS_LEFT);
}

/** Each term of a phrase in turn goes to the position of the term before it, or past it. */
function countCommon(search: usize, cursors: usize, first: u32, end: u32): u32 {
  let count: u32 = 0, agreeing: u32 = 0, member = first;
  let position: i32 = i32.MIN_VALUE;
  while (agreeing < end - first) {
    const cursor = memberCursor(search, cursors, member);
    while (load<i32>(cursor, CURSOR_POSITION) < position) if (!nextPosition(cursor)) return count;
    const reached = load<i32>(cursor, CURSOR_POSITION);
    agreeing = reached == position ? agreeing + 1 : 1;
    position = reached;
    if (++member == end) member = first;
    if (agreeing < end - first) continue;
    count++;
    // An occurrence takes a position of each term.
    for (let each = first; each < end; each++) if (!nextPosition(memberCursor(search, cursors, each))) return count;
    agreeing = 0;
    position = i32.MIN_VALUE;
  }
  return count;
}

/** @returns false when there is none */
@inline
function nextPosition(cursor: usize): bool {
  const left = load<u32>(cursor, CURSOR_POSITIONS_LEFT) - 1;
  store<u32>(cursor, left, CURSOR_POSITIONS_LEFT);
  if (left == 0) return false;
  readPosition(cursor);
  return true;
}

@inline
function readPosition(cursor: usize): void {
  const difference = varintAt(<usize>load<u32>(cursor, CURSOR_POSITION_AT));
  store<u32>(cursor, <u32>varintEnd, CURSOR_POSITION_AT);
  store<i32>(cursor, load<i32>(cursor, CURSOR_POSITION) + <i32>difference, CURSOR_POSITION);
}

@inline
function offsetOf(search: usize, member: u32): i32 {
  return load<i32>(<usize>load<u32>(search, TEXT_SEARCH_MEMBERS) + <usize>member * TEXT_MEMBER_BYTES, 4);
}
