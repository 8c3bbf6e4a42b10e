// Counts the occurrences of a phrase without slop in a slot: positions that all its terms have, after their offsets.
import {
  CLAUSE_FIRST,
  CLAUSE_MEMBERS,
  CURSOR_AT,
  CURSOR_POSITION,
  CURSOR_POSITION_AT,
  CURSOR_POSITIONS_LEFT,
  TEXT_BLOCK_PHRASE,
  TEXT_CURSOR_BYTES,
  TEXT_MEMBER_BYTES,
  TEXT_PHRASE_POSITIONS,
  TEXT_SEARCH_MEMBERS,
  TEXT_SEARCH_POSITIONS_LEFT,
  TEXT_SEARCH_SUMS,
  TEXT_UNREAD,
} from '../text-lists-constants';
import { varintAt, varintEnd } from './text-blocks';
import { occurrencesAt, positionsOf } from './text-cursor';
import { foundCount, foundPositions } from './text-found';

/** Where a position is further than this, eight differences are passed over at a time. */
const FAR: i32 = 64;
/** Two terms that have no more positions in a slot, together, are compared without a look ahead. */
const FEW: u32 = 32;
/** Stands for the slot that all cursors are at. */
const NO_ROW: u32 = u32.MAX_VALUE;

/** The cursor of a clause's member, `cursors` from the first on. */
@inline
export function memberCursor(search: usize, cursors: usize, member: u32): usize {
  const at = <usize>load<u32>(search, TEXT_SEARCH_MEMBERS) + <usize>member * TEXT_MEMBER_BYTES;
  return cursors + <usize>load<u32>(at) * TEXT_CURSOR_BYTES;
}

/** The occurrences of a phrase in the slot that all its cursors are at. */
export function phraseCount(search: usize, cursors: usize, clause: usize): u32 {
  return countIn(search, cursors, clause, NO_ROW);
}

/** The occurrences of a phrase in a slot of the leading cursor's block, in which all its terms were found. */
export function foundPhraseCount(search: usize, cursors: usize, clause: usize, row: u32): u32 {
  return countIn(search, cursors, clause, row);
}

/**
 * The positions of the term that is rarest here are read, some at a time, and of these each other term keeps those that it
 * has, too, until none is left: what is rare decides how much is read.
 */
function countIn(search: usize, cursors: usize, clause: usize, row: u32): u32 {
  const first = load<u32>(clause, CLAUSE_FIRST), end = first + load<u32>(clause, CLAUSE_MEMBERS);
  if (end - first == 2) {
    const one = occurrencesOf(memberCursor(search, cursors, first), row);
    const other = occurrencesOf(memberCursor(search, cursors, first + 1), row);
    if (one + other <= FEW) return countPair(search, cursors, first, row, one, other);
  }
  const common = <usize>load<u32>(search, TEXT_SEARCH_SUMS) + TEXT_BLOCK_PHRASE;
  let rarest = first, fewest = u32.MAX_VALUE;
  for (let member = first; member < end; member++) {
    const cursor = memberCursor(search, cursors, member), occurrences = occurrencesOf(cursor, row);
    store<u32>(cursor, TEXT_UNREAD, CURSOR_POSITIONS_LEFT);
    if (occurrences >= fewest) continue;
    fewest = occurrences;
    rarest = member;
  }
  const lead = openPositions(search, cursors, rarest, row);
  let count: u32 = 0;
  while (load<u32>(lead, CURSOR_POSITIONS_LEFT) != 0) {
    let kept = readPositions(lead, common);
    for (let member = first; member < end && kept != common; member++) {
      if (member != rarest) kept = keepCommon(openPositions(search, cursors, member, row), common, kept);
    }
    count += <u32>(kept - common) >>> 2;
  }
  return count;
}

/** The occurrences of two terms, from member `first` on, that have so many positions in the slot: both lists are merged. */
function countPair(search: usize, cursors: usize, first: u32, row: u32, one: u32, other: u32): u32 {
  let a = positionsIn(memberCursor(search, cursors, first), row);
  let b = positionsIn(memberCursor(search, cursors, first + 1), row);
  store<i32>(search, load<i32>(search, TEXT_SEARCH_POSITIONS_LEFT) - <i32>(one + other), TEXT_SEARCH_POSITIONS_LEFT);
  let left = <i32>varintAt(a) - offsetOf(search, first);
  a = varintEnd;
  let right = <i32>varintAt(b) - offsetOf(search, first + 1);
  b = varintEnd;
  let count: u32 = 0;
  while (true) {
    const movesLeft = left <= right, movesRight = right <= left;
    count += <u32>(left == right);
    if (movesLeft) {
      if (--one == 0) break;
      left += <i32>varintAt(a);
      a = varintEnd;
    }
    if (movesRight) {
      if (--other == 0) break;
      right += <i32>varintAt(b);
      b = varintEnd;
    }
  }
  return count;
}

@inline
function positionsIn(cursor: usize, row: u32): usize {
  return row == NO_ROW ? positionsOf(cursor, load<u32>(cursor, CURSOR_AT)) : foundPositions(cursor, row);
}

@inline
function occurrencesOf(cursor: usize, row: u32): u32 {
  return row == NO_ROW ? occurrencesAt(cursor, load<u32>(cursor, CURSOR_AT)) : foundCount(cursor, row);
}

/** Reads the first position of a member, unless that was done. @returns its cursor */
function openPositions(search: usize, cursors: usize, member: u32, row: u32): usize {
  const cursor = memberCursor(search, cursors, member);
  if (load<u32>(cursor, CURSOR_POSITIONS_LEFT) != TEXT_UNREAD) return cursor;
  const occurrences = occurrencesOf(cursor, row);
  const positions = positionsIn(cursor, row);
  const first = <i32>varintAt(positions);
  store<u32>(cursor, <u32>varintEnd, CURSOR_POSITION_AT);
  store<u32>(cursor, occurrences, CURSOR_POSITIONS_LEFT);
  store<i32>(cursor, first - offsetOf(search, member), CURSOR_POSITION);
  store<i32>(search, load<i32>(search, TEXT_SEARCH_POSITIONS_LEFT) - <i32>occurrences, TEXT_SEARCH_POSITIONS_LEFT);
  return cursor;
}

/** Writes the next positions i32 of a cursor, as many as there is space for. @returns where they end */
function readPositions(cursor: usize, out: usize): usize {
  let at = <usize>load<u32>(cursor, CURSOR_POSITION_AT), position = load<i32>(cursor, CURSOR_POSITION);
  let left = load<u32>(cursor, CURSOR_POSITIONS_LEFT);
  const end = out + (<usize>min<u32>(left, TEXT_PHRASE_POSITIONS) << 2);
  for (; out < end; out += 4) {
    store<i32>(out, position);
    if (--left == 0) continue;
    position += <i32>varintAt(at);
    at = varintEnd;
  }
  store<u32>(cursor, <u32>at, CURSOR_POSITION_AT);
  store<i32>(cursor, position, CURSOR_POSITION);
  store<u32>(cursor, left, CURSOR_POSITIONS_LEFT);
  return out;
}

/** Keeps those of some positions that a cursor has, too. @returns where they end */
function keepCommon(cursor: usize, common: usize, end: usize): usize {
  let at = <usize>load<u32>(cursor, CURSOR_POSITION_AT), position = load<i32>(cursor, CURSOR_POSITION);
  let left = load<u32>(cursor, CURSOR_POSITIONS_LEFT), kept = common;
  for (let each = common; each < end && left != 0; each += 4) {
    const wanted = load<i32>(each);
    while (wanted - position > FAR && left > 8) {
      const eight = load<u64>(at);
      if ((eight & 0x8080808080808080) != 0) break;
      const pairs = (eight & 0x00ff00ff00ff00ff) + ((eight >>> 8) & 0x00ff00ff00ff00ff);
      const reached = position + <i32>((pairs * 0x0001000100010001) >>> 48);
      if (reached >= wanted) break;
      position = reached;
      at += 8;
      left -= 8;
    }
    while (position < wanted) {
      if (--left == 0) break;
      position += <i32>varintAt(at);
      at = varintEnd;
    }
    store<i32>(kept, wanted);
    if (position != wanted) continue;
    kept += 4;
    // A position counts once: several n-grams of a word are at the same one.
    if (--left == 0) break;
    position += <i32>varintAt(at);
    at = varintEnd;
  }
  store<u32>(cursor, <u32>at, CURSOR_POSITION_AT);
  store<i32>(cursor, position, CURSOR_POSITION);
  store<u32>(cursor, left, CURSOR_POSITIONS_LEFT);
  return kept;
}

@inline
function offsetOf(search: usize, member: u32): i32 {
  return load<i32>(<usize>load<u32>(search, TEXT_SEARCH_MEMBERS) + <usize>member * TEXT_MEMBER_BYTES, 4);
}
