// Sieves the postings of the leading cursor's block by the bitmaps of frequent terms. Of those that are left, most have such
// a term once, so that the lists are looked at for the others alone.
import {
  CURSOR_AT,
  CURSOR_FOUND_COUNTS,
  CURSOR_IS_SIEVED,
  CURSOR_LENGTHS,
  CURSOR_MAX,
  CURSOR_PAGE_COUNT,
  CURSOR_REST,
  CURSOR_WEIGHT,
  TEXT_BLOCK_NORMS,
  TEXT_BLOCK_ROWS,
  TEXT_BLOCK_SUMS,
  TEXT_BOUND_SLACK,
  TEXT_CURSOR_BYTES,
  TEXT_PAGE_SHIFT,
  TEXT_SEARCH_REQUIRED,
} from '../text-lists-constants';
import { hasTerm, isRepeated, pageOf } from './text-bitmaps';
import { find, occurrencesAt, slotAt } from './text-cursor';
import { normOf, rowAt, sumAt } from './text-leading-block';
import { normAt, saturationBy } from './text-saturation';

const SLACK: f32 = <f32>TEXT_BOUND_SLACK;

/** True where bitmaps have told which of the rows have all required terms. */
export let isSieved = false;
/** True where a required term other than the leading one has a bitmap that saves a look at its list. */
export let hasBitmaps = false;

/** Prepares to sieve. Lists tell where a phrase is, so that for one of two terms bitmaps would only be looked at besides. */
export function openBitmaps(search: usize, lead: usize, hasPhrases: bool): void {
  const required = load<u32>(search, TEXT_SEARCH_REQUIRED);
  hasBitmaps = false;
  for (let number: u32 = 1; number < required; number++) {
    const cursor = lead + <usize>number * TEXT_CURSOR_BYTES;
    store<u32>(cursor, 0, CURSOR_IS_SIEVED);
    if (load<u32>(cursor, CURSOR_PAGE_COUNT) != 0) hasBitmaps = !hasPhrases || required > 2;
  }
}

/** Drops the first `count` rows that bitmaps lack. @param block what is known of the leading block. @returns how many are left */
export function sieveAll(search: usize, lead: usize, block: usize, count: u32): u32 {
  isSieved = hasBitmaps;
  if (!hasBitmaps) return count;
  const required = load<u32>(search, TEXT_SEARCH_REQUIRED);
  for (let number: u32 = 1; number < required; number++) {
    const cursor = lead + <usize>number * TEXT_CURSOR_BYTES;
    if (load<u32>(cursor, CURSOR_PAGE_COUNT) != 0) count = sieve(lead, cursor, block, count);
    if (load<u32>(cursor, CURSOR_IS_SIEVED) == 0) isSieved = false;
  }
  return count;
}

/** Drops the rows that a cursor's bitmap lacks, and notes whether it has told of all. @returns how many are left */
function sieve(lead: usize, cursor: usize, block: usize, count: u32): u32 {
  let kept: u32 = 0, number = u32.MAX_VALUE, page: usize = 0, isWhole = true;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(block, i), slot = slotAt(lead, row);
    if (slot >>> TEXT_PAGE_SHIFT != number) {
      number = slot >>> TEXT_PAGE_SHIFT;
      page = pageOf(cursor, slot);
      if (page == 0) isWhole = false;
    }
    store<u32>(block + (<usize>kept << 2), row, TEXT_BLOCK_ROWS);
    kept += <u32>(page == 0 || hasTerm(page, slot));
  }
  store<u32>(cursor, <u32>isWhole, CURSOR_IS_SIEVED);
  return kept;
}

/** Bounds the rows by what the leading cursor has in them, and keeps those that may reach `least`. @returns how many */
export function boundRows(lead: usize, block: usize, count: u32, least: f32): u32 {
  const weight = load<f32>(lead, CURSOR_WEIGHT), needed = neededBefore(lead, least);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(block, i), at = block + (<usize>row << 2), norm = normAt(lead, slotAt(lead, row));
    const sum = saturationBy(<f32>load<u32>(lead + (<usize>row << 2), CURSOR_FOUND_COUNTS), norm) * weight;
    store<f32>(at, norm, TEXT_BLOCK_NORMS);
    store<f32>(at, sum, TEXT_BLOCK_SUMS);
    store<u32>(block + (<usize>kept << 2), row, TEXT_BLOCK_ROWS);
    kept += <u32>(sum >= needed);
  }
  return kept;
}

/** Adds what a cursor has in the rows, of which its bitmap has told, and keeps those that may reach `least`. @returns how many */
export function noteSieved(lead: usize, cursor: usize, block: usize, count: u32, least: f32): u32 {
  const weight = load<f32>(cursor, CURSOR_WEIGHT), most = load<f32>(cursor, CURSOR_MAX) * weight;
  const needed = neededBefore(cursor, least);
  const sharesNorms = load<u32>(cursor, CURSOR_LENGTHS) == load<u32>(lead, CURSOR_LENGTHS);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(block, i), slot = slotAt(lead, row), before = sumAt(block, row);
    let occurrences: u32 = 1;
    if (isRepeated(pageOf(cursor, slot), slot)) {
      if (before + most < needed || !find(cursor, slot)) continue;
      occurrences = occurrencesAt(cursor, load<u32>(cursor, CURSOR_AT));
    }
    store<u32>(cursor + (<usize>row << 2), occurrences, CURSOR_FOUND_COUNTS);
    const norm = sharesNorms ? normOf(block, row) : normAt(cursor, slot);
    const sum = before + saturationBy(<f32>occurrences, norm) * weight;
    store<f32>(block + (<usize>row << 2), sum, TEXT_BLOCK_SUMS);
    store<u32>(block + (<usize>kept << 2), row, TEXT_BLOCK_ROWS);
    kept += <u32>(sum >= needed);
  }
  return kept;
}

/** The sum that a row must have with a cursor, before those after it, to reach `least`; 0 where all rows are wanted. */
@inline
function neededBefore(cursor: usize, least: f32): f32 {
  return least > 0 ? least / SLACK - load<f32>(cursor, CURSOR_REST) : -1;
}
