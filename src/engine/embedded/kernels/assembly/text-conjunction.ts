// Text search where terms or phrases are required: the rarest required term leads, block by block, and each of the others is
// looked up for all that is left of a block (Culpepper and Moffat, "Efficient set intersection for inverted indexing", 2010).
// Bitmaps of frequent terms tell first which slots of a block are left (text-sieve.ts).
// Blocks and slots whose bound is too low are passed over, as in block-max indexes (Ding and Suel, "Faster top-k document
// retrieval using block-max indexes", 2011).
import {
  CLAUSE_BOUND_CURSOR,
  CLAUSE_BOUND_WEIGHT,
  CLAUSE_KIND,
  CLAUSE_MEMBERS,
  CLAUSE_MUST,
  CLAUSE_NOT,
  CURSOR_BIT_SET_FROM,
  CURSOR_COUNT,
  CURSOR_DATA,
  CURSOR_FOUND_AT,
  CURSOR_FOUND_COUNTS,
  CURSOR_IS_SIEVED,
  CURSOR_LENGTHS,
  CURSOR_MAX,
  CURSOR_REST,
  CURSOR_SLOTS,
  CURSOR_WEIGHT,
  TEXT_BLOCK_COUNT_BITS,
  TEXT_BLOCK_HEADER_BYTES,
  TEXT_BLOCK_NORMS,
  TEXT_BLOCK_POSTINGS,
  TEXT_BLOCK_ROWS,
  TEXT_BLOCK_SUMS,
  TEXT_BOUND_SLACK,
  TEXT_CLAUSE_BYTES,
  TEXT_CURSOR_BYTES,
  TEXT_DONE,
  TEXT_FULL,
  TEXT_SEARCH_CLAUSE_COUNT,
  TEXT_SEARCH_CLAUSES,
  TEXT_SEARCH_CURSOR_COUNT,
  TEXT_SEARCH_COUNTS,
  TEXT_SEARCH_CURSORS,
  TEXT_SEARCH_MATCHED,
  TEXT_SEARCH_MATCHES,
  TEXT_SEARCH_POSITIONS_LEFT,
  TEXT_SEARCH_REQUIRED,
  TEXT_SEARCH_SLOT_COUNT,
  TEXT_SEARCH_SUMS,
  TEXT_TOO_MANY_POSITIONS,
} from '../text-lists-constants';
import {
  boundUntil,
  decodeNext,
  decodeUntil,
  firstFrom,
  hasBitSet,
  isExhausted,
  nextBound,
  nextFrom,
  nextLast,
  passBlock,
  passTo,
  slotAt,
} from './text-cursor';
import { bitsBefore, hasBit } from './text-blocks';
import { note, noteAll } from './text-found';
import { isSelected, leastScore, makeSpace } from './text-hits';
import { normOf, rowAt, sumAt } from './text-leading-block';
import { isConfirmed, phraseBound, scoreRow } from './text-rows';
import { normAt, saturationBy, saturations, writeNorms } from './text-saturation';
import { boundRows, hasBitmaps, isSieved, noteSieved, openBitmaps, sieveAll } from './text-sieve';

/** So few are found by decoding a block only as far as the last of them. */
const FEW_ROWS: u32 = 8;
const SLACK: f32 = <f32>TEXT_BOUND_SLACK;

/** Where the bounds, the norms and the rows of a block are kept. */
let block: usize = 0;
/** The score that a slot needs; 0 where all slots that match are wanted. */
let least: f32 = 0;
/** What optional clauses add to a score at most. */
let optionalMax: f32 = 0;
let hasPhrases = false;
/** True where slots that have all required terms may still not match. */
let needsConfirming = false;
/** True in a block of which no slot is scored: terms and phrases alone are looked for. */
let isUnscored = false;
/** True in a block whose matches bitmaps have told, so that they are counted. */
let isCounted = false;

/** Goes on with a search; all cursors were opened, the first is the one that leads. @returns TEXT_DONE or another result */
export function searchConjunction(search: usize): i32 {
  const lead = <usize>load<u32>(search, TEXT_SEARCH_CURSORS);
  const slotCount = load<u32>(search, TEXT_SEARCH_SLOT_COUNT), isScored = load<u32>(search, TEXT_SEARCH_MATCHES) == 0;
  const counts = load<u32>(search, TEXT_SEARCH_COUNTS) != 0;
  block = <usize>load<u32>(search, TEXT_SEARCH_SUMS);
  weigh(search, lead);
  boundOthers(search, lead, false);
  for (; !isExhausted(lead); passBlock(lead)) {
    if (!makeSpace(search, TEXT_BLOCK_POSTINGS)) return TEXT_FULL;
    if (load<i32>(search, TEXT_SEARCH_POSITIONS_LEFT) < 0) return TEXT_TOO_MANY_POSITIONS;
    least = isScored ? max<f32>(0, leastScore(search)) : 0;
    isUnscored = !isScored;
    if (least > 0 && !mayReach(search, lead)) {
      if (!counts) continue;
      isUnscored = true;
    }
    // What is counted stays in the block, however low its bound.
    if (counts) least = 0;
    decodeNext(lead);
    if (!searchBlock(search, lead)) break;
    if (slotAt(lead, load<u32>(lead, CURSOR_COUNT) - 1) >= slotCount) break;
  }
  return load<i32>(search, TEXT_SEARCH_POSITIONS_LEFT) < 0 ? TEXT_TOO_MANY_POSITIONS : TEXT_DONE;
}

/** Sets what saturations of each cursor are multiplied by for the bound of a score. */
function weigh(search: usize, cursors: usize): void {
  const count = load<u32>(search, TEXT_SEARCH_CURSOR_COUNT);
  for (let number: u32 = 0; number < count; number++) {
    store<f32>(cursors + <usize>number * TEXT_CURSOR_BYTES, 0, CURSOR_WEIGHT);
  }
  let clause = <usize>load<u32>(search, TEXT_SEARCH_CLAUSES);
  const end = clause + <usize>load<u32>(search, TEXT_SEARCH_CLAUSE_COUNT) * TEXT_CLAUSE_BYTES;
  hasPhrases = false;
  needsConfirming = false;
  for (; clause < end; clause += TEXT_CLAUSE_BYTES) {
    if (load<u32>(clause, CLAUSE_KIND) == CLAUSE_NOT) {
      needsConfirming = true;
      continue;
    }
    const cursor = cursors + <usize>load<u32>(clause, CLAUSE_BOUND_CURSOR) * TEXT_CURSOR_BYTES;
    store<f32>(cursor, load<f32>(clause, CLAUSE_BOUND_WEIGHT), CURSOR_WEIGHT);
    if (load<u32>(clause, CLAUSE_KIND) == CLAUSE_MUST && load<u32>(clause, CLAUSE_MEMBERS) > 1) hasPhrases = true;
  }
  if (hasPhrases) needsConfirming = true;
  openBitmaps(search, cursors, hasPhrases);
}

/** False when no slot of the leading cursor's next block can be among the best, by the blocks that others have there. */
function mayReach(search: usize, lead: usize): bool {
  const own = nextBound(lead) * load<f32>(lead, CURSOR_WEIGHT);
  if ((own + boundOthers(search, lead, false)) * SLACK < least) return false;
  return (own + boundOthers(search, lead, true)) * SLACK >= least;
}

/** Bounds what all cursors but the first add to the scores in its next block: by whole lists, or by their blocks. */
function boundOthers(search: usize, lead: usize, isClose: bool): f32 {
  const required = load<u32>(search, TEXT_SEARCH_REQUIRED), from = nextFrom(lead), last = nextLast(lead);
  let rest: f32 = 0;
  optionalMax = 0;
  for (let number = load<u32>(search, TEXT_SEARCH_CURSOR_COUNT) - 1; number > 0; number--) {
    const cursor = lead + <usize>number * TEXT_CURSOR_BYTES, weight = load<f32>(cursor, CURSOR_WEIGHT);
    store<f32>(cursor, rest, CURSOR_REST);
    if (isClose) passTo(cursor, from);
    if (isClose && number < required && nextFrom(cursor) > last) return -Infinity;
    if (weight > 0) rest += (isClose ? boundUntil(cursor, last + 1) : load<f32>(cursor, CURSOR_MAX)) * weight;
    if (number == required) optionalMax = rest;
  }
  store<f32>(lead, rest, CURSOR_REST);
  return rest;
}

/** Searches the decoded block of the leading cursor. @returns false when nothing matches after it */
function searchBlock(search: usize, lead: usize): bool {
  const required = load<u32>(search, TEXT_SEARCH_REQUIRED);
  isCounted = false;
  let count = selectRows(search, lead), goesOn = true;
  for (let number: u32 = 1; number < required && count > 0; number++) {
    const cursor = lead + <usize>number * TEXT_CURSOR_BYTES;
    // Phrases need the places of positions, too.
    if (!hasPhrases && load<u32>(cursor, CURSOR_IS_SIEVED) != 0) {
      if (!isUnscored) count = noteSieved(lead, cursor, block, count, least);
      continue;
    }
    count = lookUp(lead, cursor, count);
    if (isExhausted(cursor)) goesOn = false;
  }
  const matches = <usize>load<u32>(search, TEXT_SEARCH_MATCHES), counts = load<u32>(search, TEXT_SEARCH_COUNTS) != 0;
  if (isUnscored && matches == 0) {
    addMatched(search, needsConfirming ? countConfirmed(search, lead, count) : count);
    return goesOn;
  }
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(block, i), slot = slotAt(lead, row);
    if (matches != 0) {
      if (!isConfirmed(search, lead, row)) continue;
      const word = matches + (<usize>(slot >>> 5) << 2);
      store<u32>(word, load<u32>(word) | (1 << (slot & 31)));
    } else {
      const isLow = isTooLow(search, lead, row);
      if (isLow && (!counts || isCounted)) continue;
      if (needsConfirming && !isConfirmed(search, lead, row)) continue;
      if (counts && !isCounted) addMatched(search, 1);
      if (!isLow) scoreRow(search, lead, row);
    }
  }
  return goesOn;
}

/** True when a row that has all required terms cannot be among the best. */
@inline
function isTooLow(search: usize, lead: usize, row: u32): bool {
  const reached = leastScore(search);
  if (!(reached > 0)) return false;
  if ((sumAt(block, row) + optionalMax) * SLACK < reached) return true;
  return hasPhrases && (phraseBound(search, lead, row) + optionalMax) * SLACK < reached;
}

@inline
function addMatched(search: usize, count: u32): void {
  store<u32>(search, load<u32>(search, TEXT_SEARCH_MATCHED) + count, TEXT_SEARCH_MATCHED);
}

/** How many of the rows that have all required terms match. */
function countConfirmed(search: usize, lead: usize, count: u32): u32 {
  let confirmed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) confirmed += <u32>isConfirmed(search, lead, rowAt(block, i));
  return confirmed;
}

/** Lists the postings of the leading cursor's block that may be among the best. @returns how many */
function selectRows(search: usize, lead: usize): u32 {
  let count = load<u32>(lead, CURSOR_COUNT);
  const slotCount = load<u32>(search, TEXT_SEARCH_SLOT_COUNT);
  if (slotAt(lead, count - 1) >= slotCount) count = firstFrom(lead, slotCount);
  if (isUnscored || (hasBitmaps && least == 0)) return selectSieved(search, lead, count);
  noteAll(lead);
  writeNorms(lead, lead + CURSOR_SLOTS, count, block + TEXT_BLOCK_NORMS);
  const weight = f32x4.splat(load<f32>(lead, CURSOR_WEIGHT));
  const needed = f32x4.splat(least / SLACK - load<f32>(lead, CURSOR_REST)), isBounded = least > 0;
  let rows: u32 = 0;
  for (let first: u32 = 0; first < count; first += 4) {
    const at = block + (<usize>first << 2);
    const occurrences = v128.load(lead + (<usize>first << 2), CURSOR_FOUND_COUNTS);
    const sums = f32x4.mul(saturations(occurrences, v128.load(at, TEXT_BLOCK_NORMS)), weight);
    v128.store(at, sums, TEXT_BLOCK_SUMS);
    let mask = isBounded ? i32x4.bitmask(f32x4.ge(sums, needed)) : 15;
    if (count - first < 4) mask &= (1 << (count - first)) - 1;
    for (; mask != 0; mask &= mask - 1) {
      const row = first + ctz(mask);
      store<u32>(block + (<usize>rows << 2), row, TEXT_BLOCK_ROWS);
      rows += <u32>isSelected(search, slotAt(lead, row));
    }
  }
  return sieveAll(search, lead, block, rows);
}

/** Lists the first postings of the leading cursor's block that the search may find. @returns how many */
function selectAll(search: usize, lead: usize, count: u32): u32 {
  let rows: u32 = 0;
  for (let row: u32 = 0; row < count; row++) {
    store<u32>(block + (<usize>rows << 2), row, TEXT_BLOCK_ROWS);
    rows += <u32>isSelected(search, slotAt(lead, row));
  }
  return rows;
}

/** As `selectRows`, by bitmaps before bounds: what is left may be all that matches, and is counted then. */
function selectSieved(search: usize, lead: usize, count: u32): u32 {
  const rows = sieveAll(search, lead, block, selectAll(search, lead, count));
  if (isSieved && !needsConfirming && load<u32>(search, TEXT_SEARCH_COUNTS) != 0) {
    addMatched(search, rows);
    isCounted = true;
    if (isUnscored) return 0;
    least = max<f32>(0, leastScore(search));
  }
  if (rows != 0 && (!isUnscored || hasPhrases)) noteAll(lead);
  return isUnscored ? rows : boundRows(lead, block, rows, least);
}

/** Keeps the rows whose slots a cursor's list has, and that may be among the best with it. @returns how many */
function lookUp(lead: usize, cursor: usize, count: u32): u32 {
  const weight = load<f32>(cursor, CURSOR_WEIGHT), rest = load<f32>(cursor, CURSOR_REST);
  let kept: u32 = 0, next: u32 = 0;
  while (next < count) {
    passTo(cursor, slotAt(lead, rowAt(block, next)));
    if (isExhausted(cursor)) break;
    const last = nextLast(cursor), first = kept;
    const needed: f32 = least > 0 ? least / SLACK - rest - weight * nextBound(cursor) : -1;
    let candidates = kept;
    for (; next < count; next++) {
      const row = rowAt(block, next);
      if (slotAt(lead, row) > last) break;
      store<u32>(block + (<usize>candidates << 2), row, TEXT_BLOCK_ROWS);
      candidates += <u32>(isUnscored || sumAt(block, row) >= needed);
    }
    if (candidates == first) continue;
    if (hasBitSet(cursor)) kept = findInBitSet(lead, cursor, first, candidates);
    else {
      if (candidates - first > FEW_ROWS) decodeNext(cursor);
      else decodeUntil(cursor, slotAt(lead, rowAt(block, candidates - 1)));
      kept = findInBlock(lead, cursor, first, candidates);
    }
    if (!isUnscored || hasPhrases) kept = noteRows(lead, cursor, first, kept);
  }
  return kept;
}

/** Keeps the rows, from number `first` on, that the decoded block of a cursor has. @returns how many rows are left */
@inline
function findInBlock(lead: usize, cursor: usize, first: u32, count: u32): u32 {
  let kept = first;
  for (let i = first; i < count; i++) {
    const row = rowAt(block, i), slot = slotAt(lead, row), at = firstFrom(cursor, slot);
    store<u32>(block + (<usize>kept << 2), row, TEXT_BLOCK_ROWS);
    store<u8>(cursor + <usize>row, at, CURSOR_FOUND_AT);
    kept += <u32>(slotAt(cursor, at) == slot);
  }
  return kept;
}

/** As `findInBlock`, by the bit set of a cursor. */
@inline
function findInBitSet(lead: usize, cursor: usize, first: u32, count: u32): u32 {
  const data = <usize>load<u32>(cursor, CURSOR_DATA), from = load<u32>(cursor, CURSOR_BIT_SET_FROM);
  const words = data + TEXT_BLOCK_HEADER_BYTES;
  let kept = first;
  for (let i = first; i < count; i++) {
    const row = rowAt(block, i);
    store<u32>(block + (<usize>kept << 2), row, TEXT_BLOCK_ROWS);
    kept += <u32>hasBit(words, slotAt(lead, row) - from);
  }
  // Only packed occurrences and positions need the numbers of postings.
  if (!hasPhrases && (isUnscored || load<u8>(data, TEXT_BLOCK_COUNT_BITS) == 0)) return kept;
  for (let i = first; i < kept; i++) {
    const row = rowAt(block, i);
    store<u8>(cursor + <usize>row, bitsBefore(words, slotAt(lead, row) - from), CURSOR_FOUND_AT);
  }
  return kept;
}

/** Notes what a cursor has in the rows from number `first` on. @returns how many rows are left that may be among the best */
@inline
function noteRows(lead: usize, cursor: usize, first: u32, count: u32): u32 {
  const weight = load<f32>(cursor, CURSOR_WEIGHT), needed = least / SLACK - load<f32>(cursor, CURSOR_REST);
  const sharesNorms = load<u32>(cursor, CURSOR_LENGTHS) == load<u32>(lead, CURSOR_LENGTHS);
  let kept = first;
  for (let i = first; i < count; i++) {
    const row = rowAt(block, i), occurrences = note(cursor, row);
    store<u32>(block + (<usize>kept << 2), row, TEXT_BLOCK_ROWS);
    if (weight == 0 || isUnscored) {
      kept++;
      continue;
    }
    const norm = sharesNorms ? normOf(block, row) : normAt(cursor, slotAt(lead, row));
    const sum = sumAt(block, row) + saturationBy(<f32>occurrences, norm) * weight;
    store<f32>(block + (<usize>row << 2), sum, TEXT_BLOCK_SUMS);
    kept += <u32>(sum >= needed);
  }
  return kept;
}
