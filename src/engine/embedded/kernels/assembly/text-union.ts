// Text search where any term suffices: windows of slots, in each of which terms that cannot bring a slot among the best by
// themselves are only looked up (MAXSCORE: Turtle and Flood, "Query evaluation: strategies and optimizations", 1995), with
// bounds of blocks in place of whole lists (Ding and Suel 2011; Mackenzie and others, "Efficient query processing techniques
// for next-page retrieval", 2022, compare the variants).
import {
  CURSOR_AT,
  CURSOR_BIT_SET_FROM,
  CURSOR_BLOCK,
  CURSOR_BLOCKS,
  CURSOR_COUNT,
  CURSOR_COUNTS,
  CURSOR_DATA,
  CURSOR_FROM,
  CURSOR_SATURATED,
  CURSOR_SATURATIONS,
  CURSOR_SLOTS,
  CURSOR_WEIGHT,
  CURSOR_WINDOW_BOUND,
  TEXT_BOUND_SLACK,
  TEXT_BLOCK_BIT_SET,
  TEXT_BLOCK_COUNT_BITS,
  TEXT_BLOCK_FORM,
  TEXT_BLOCK_HEADER_BYTES,
  TEXT_CURSOR_BYTES,
  TEXT_DONE,
  TEXT_FULL,
  TEXT_GROUP_SHIFT,
  TEXT_NO_SLOT,
  TEXT_SEARCH_CURSOR_COUNT,
  TEXT_SEARCH_CURSORS,
  TEXT_SEARCH_MATCHES,
  TEXT_SEARCH_NEXT,
  TEXT_SEARCH_ORDER,
  TEXT_SEARCH_SLOT_COUNT,
  TEXT_SEARCH_SUMS,
  TEXT_WINDOW_SLOTS,
} from '../text-lists-constants';
import { countsOf, unpackCounts } from './text-blocks';
import {
  boundUntil,
  decodeNext,
  findInNext,
  firstFrom,
  hasBitSet,
  isExhausted,
  nextBound,
  nextFrom,
  nextLast,
  occurrencesAt,
  passBlock,
  passTo,
  slotAt,
} from './text-cursor';
import { isSelected, leastScore, makeSpace, scoreSlot } from './text-hits';
import { normAt, saturationBy, saturations, writeNorms } from './text-saturation';

const SUM_SLACK: f32 = <f32>TEXT_BOUND_SLACK;
/** Slots without any term have a sum of 0. */
const SUM_MIN: f32 = 1e-30;

/** Where the bytes of groups lie behind the sums, and how many there are. */
const GROUPS_AT = TEXT_WINDOW_SLOTS * 4;
const GROUPS = TEXT_WINDOW_SLOTS >> TEXT_GROUP_SHIFT;

/** The bounds of the cursors that are only looked up, together, and those of all, in a window. */
let lookedUp: u32 = 0;
let lookedUpBound: f32 = 0;
let windowBound: f32 = 0;

/**
 * Goes on with a search. There are two opened cursors for each term: the first half go through the lists, the second look
 * slots up. @returns TEXT_DONE or another result
 */
export function searchUnion(search: usize): i32 {
  const slotCount = load<u32>(search, TEXT_SEARCH_SLOT_COUNT);
  let from = load<u32>(search, TEXT_SEARCH_NEXT);
  if (from == 0) memory.fill(<usize>load<u32>(search, TEXT_SEARCH_SUMS), 0, GROUPS_AT + GROUPS);
  while (from < slotCount) {
    if (!makeSpace(search, TEXT_WINDOW_SLOTS)) {
      store<u32>(search, from, TEXT_SEARCH_NEXT);
      return TEXT_FULL;
    }
    const until = min(slotCount, (from & ~(TEXT_WINDOW_SLOTS - 1)) + TEXT_WINDOW_SLOTS);
    const next = enterWindow(search, from, until);
    if (next >= until) {
      from = next;
      continue;
    }
    searchWindow(search, from & ~(TEXT_WINDOW_SLOTS - 1), from, until);
    from = until;
  }
  store<u32>(search, slotCount, TEXT_SEARCH_NEXT);
  return TEXT_DONE;
}

@inline
function cursorAt(search: usize, number: u32): usize {
  return <usize>load<u32>(search, TEXT_SEARCH_CURSORS) + <usize>number * TEXT_CURSOR_BYTES;
}

@inline
function orderedCursor(search: usize, rank: u32): usize {
  return cursorAt(search, load<u32>(<usize>load<u32>(search, TEXT_SEARCH_ORDER) + (<usize>rank << 2)));
}

/**
 * Brings all cursors to a window, orders them by their bounds in it, and parts those that are only looked up from the rest.
 * @returns `until` or a later slot to go on from where no slot of the window can be among the best
 */
function enterWindow(search: usize, from: u32, until: u32): u32 {
  const count = load<u32>(search, TEXT_SEARCH_CURSOR_COUNT), order = <usize>load<u32>(search, TEXT_SEARCH_ORDER);
  let next: u32 = TEXT_NO_SLOT;
  windowBound = 0;
  for (let rank: u32 = 0; rank < count; rank++) {
    const number = load<u32>(order + (<usize>rank << 2)), cursor = cursorAt(search, number);
    passTo(cursor, from);
    const first = nextFrom(cursor);
    next = min(next, first);
    const bound: f32 = first >= until ? 0 : boundUntil(cursor, until) * load<f32>(cursor, CURSOR_WEIGHT);
    store<f32>(cursor, bound, CURSOR_WINDOW_BOUND);
    windowBound += bound;
    insert(search, order, rank, number, bound);
  }
  if (next >= until) return next;
  const least = leastScore(search);
  if (windowBound * SUM_SLACK < least) return until;
  lookedUp = 0;
  lookedUpBound = 0;
  while (lookedUp < count) {
    const bound = lookedUpBound + load<f32>(orderedCursor(search, lookedUp), CURSOR_WINDOW_BOUND);
    if (!(bound * SUM_SLACK < least)) break;
    lookedUpBound = bound;
    lookedUp++;
  }
  return lookedUp == count ? until : from;
}

/** Moves a cursor to its place among those ranked before it: by insertion, since few change places from window to window. */
@inline
function insert(search: usize, order: usize, rank: u32, number: u32, bound: f32): void {
  let at = rank;
  for (; at > 0; at--) {
    const before = load<u32>(order + (<usize>(at - 1) << 2));
    if (load<f32>(cursorAt(search, before), CURSOR_WINDOW_BOUND) <= bound) break;
    store<u32>(order + (<usize>at << 2), before);
  }
  store<u32>(order + (<usize>at << 2), number);
}

function searchWindow(search: usize, start: u32, from: u32, until: u32): void {
  const count = load<u32>(search, TEXT_SEARCH_CURSOR_COUNT);
  if (count - lookedUp == 1) {
    searchAlone(search, orderedCursor(search, lookedUp), from, until);
    return;
  }
  for (let rank = lookedUp; rank < count; rank++) addUp(search, orderedCursor(search, rank), start, from, until);
  const groups = <usize>load<u32>(search, TEXT_SEARCH_SUMS) + GROUPS_AT, none = i8x16.splat(0);
  for (let group: u32 = 0; group < <u32>GROUPS; group += 16) {
    const at = groups + <usize>group, sixteen = v128.load(at);
    if (!v128.any_true(sixteen)) continue;
    v128.store(at, none);
    let mask = i8x16.bitmask(i8x16.ne(sixteen, none));
    for (; mask != 0; mask &= mask - 1) tryGroup(search, group + ctz(mask), start, until);
  }
}

/** Tries the slots of a group that have a sum, and clears their sums. */
@inline
function tryGroup(search: usize, group: u32, start: u32, until: u32): void {
  const first = group << TEXT_GROUP_SHIFT, zero = f32x4.splat(0);
  const at = <usize>load<u32>(search, TEXT_SEARCH_SUMS) + (<usize>first << 2);
  const a = v128.load(at), b = v128.load(at, 16), c = v128.load(at, 32), d = v128.load(at, 48);
  const most = f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d));
  v128.store(at, zero);
  v128.store(at, zero, 16);
  v128.store(at, zero, 32);
  v128.store(at, zero, 48);
  if (!v128.any_true(f32x4.ge(most, f32x4.splat(needed(search))))) return;
  const slot = start + first;
  tryFour(search, a, slot, until);
  tryFour(search, b, slot + 4, until);
  tryFour(search, c, slot + 8, until);
  tryFour(search, d, slot + 12, until);
}

/** The sum of the other terms that a slot needs to be among the best; never 0, which slots without any have. */
@inline
function needed(search: usize): f32 {
  return max<f32>(SUM_MIN, leastScore(search) / SUM_SLACK - lookedUpBound);
}

@inline
function tryFour(search: usize, sums: v128, slot: u32, until: u32): void {
  const least = needed(search);
  let mask = i32x4.bitmask(f32x4.ge(sums, f32x4.splat(least)));
  for (; mask != 0; mask &= mask - 1) {
    const lane = ctz(mask);
    let sum = f32x4.extract_lane(sums, 0);
    if (lane == 1) sum = f32x4.extract_lane(sums, 1);
    else if (lane == 2) sum = f32x4.extract_lane(sums, 2);
    else if (lane == 3) sum = f32x4.extract_lane(sums, 3);
    if (slot + lane < until) consider(search, slot + lane, sum);
  }
}

/** Adds what a term contributes to the slots of a window, but for blocks in which no slot can be among the best. */
function addUp(search: usize, cursor: usize, start: u32, from: u32, until: u32): void {
  const sums = <usize>load<u32>(search, TEXT_SEARCH_SUMS), weight = load<f32>(cursor, CURSOR_WEIGHT);
  const others = windowBound - load<f32>(cursor, CURSOR_WINDOW_BOUND);
  for (; nextFrom(cursor) < until; passBlock(cursor)) {
    if ((nextBound(cursor) * weight + others) * SUM_SLACK < leastScore(search)) {
      // The next window may have need of a block that reaches into it.
      if (nextLast(cursor) >= until) return;
      continue;
    }
    decodeNext(cursor);
    saturate(search, cursor);
    const count = load<u32>(cursor, CURSOR_COUNT);
    let at = load<u32>(cursor, CURSOR_FROM);
    if (slotAt(cursor, at) < from) at = firstFrom(cursor, from);
    for (; at < count; at++) {
      const slot = slotAt(cursor, at);
      if (slot >= until) break;
      const inWindow = <usize>(slot - start), sum = sums + (inWindow << 2);
      store<u8>(sums + (inWindow >>> TEXT_GROUP_SHIFT), 1, GROUPS_AT);
      store<f32>(sum, load<f32>(sum) + saturationIn(cursor, at) * weight);
    }
    store<u32>(cursor, at, CURSOR_FROM);
    if (at < count) return;
  }
}

/** Computes the saturations of the decoded block, unless they are known. */
function saturate(search: usize, cursor: usize): void {
  const block = load<u32>(cursor, CURSOR_BLOCK);
  if (load<u32>(cursor, CURSOR_SATURATED) == block) return;
  store<u32>(cursor, block, CURSOR_SATURATED);
  let count = load<u32>(cursor, CURSOR_COUNT);
  const slotCount = load<u32>(search, TEXT_SEARCH_SLOT_COUNT), data = <usize>load<u32>(cursor, CURSOR_DATA);
  if (slotAt(cursor, count - 1) >= slotCount) count = firstFrom(cursor, slotCount);
  writeNorms(cursor, cursor + CURSOR_SLOTS, count, cursor + CURSOR_SATURATIONS);
  if (block != load<u32>(cursor, CURSOR_BLOCKS)) {
    unpackCounts(countsOf(data), load<u8>(data, TEXT_BLOCK_COUNT_BITS), cursor + CURSOR_COUNTS);
  }
  for (let at = cursor, end = cursor + (<usize>count << 2); at < end; at += 16) {
    v128.store(at, saturations(v128.load(at, CURSOR_COUNTS), v128.load(at, CURSOR_SATURATIONS)), CURSOR_SATURATIONS);
  }
}

/** The saturation of a posting of the decoded block, about. */
@inline
function saturationIn(cursor: usize, at: u32): f32 {
  return load<f32>(cursor + (<usize>at << 2), CURSOR_SATURATIONS);
}

/** Searches a window in which only slots with one of the terms can be among the best. */
function searchAlone(search: usize, cursor: usize, from: u32, until: u32): void {
  const weight = load<f32>(cursor, CURSOR_WEIGHT);
  for (; nextFrom(cursor) < until; passBlock(cursor)) {
    if ((nextBound(cursor) * weight + lookedUpBound) * SUM_SLACK < leastScore(search)) {
      if (nextLast(cursor) >= until) return;
      continue;
    }
    decodeNext(cursor);
    saturate(search, cursor);
    const count = load<u32>(cursor, CURSOR_COUNT);
    let at = load<u32>(cursor, CURSOR_FROM), least = needed(search);
    if (slotAt(cursor, at) < from) at = firstFrom(cursor, from);
    for (; at < count; at++) {
      const slot = slotAt(cursor, at);
      if (slot >= until) break;
      const sum = saturationIn(cursor, at) * weight;
      if (sum < least) continue;
      consider(search, slot, sum);
      least = needed(search);
    }
    store<u32>(cursor, at, CURSOR_FROM);
    if (at < count) return;
  }
}

/** Scores a slot, whose sum over the other terms is known, if it may be among the best with those that are looked up. */
function consider(search: usize, slot: u32, sum: f32): void {
  if (!isSelected(search, slot)) return;
  const count = load<u32>(search, TEXT_SEARCH_CURSOR_COUNT), probes = <usize>count * TEXT_CURSOR_BYTES;
  let rest = lookedUpBound;
  for (let rank = lookedUp; rank > 0; rank--) {
    if ((sum + rest) * SUM_SLACK < leastScore(search)) return;
    const listed = orderedCursor(search, rank - 1), cursor = listed + probes;
    const weight = load<f32>(listed, CURSOR_WEIGHT);
    rest -= load<f32>(listed, CURSOR_WINDOW_BOUND);
    passTo(cursor, slot);
    if (isExhausted(cursor)) continue;
    if ((sum + max<f32>(rest, 0) + nextBound(cursor) * weight) * SUM_SLACK < leastScore(search)) return;
    if (findInNext(cursor, slot)) sum += saturationOf(cursor, slot) * weight;
  }
  if (sum * SUM_SLACK < leastScore(search)) return;
  scoreSlot(search, cursorAt(search, count), slot);
}

/** The saturation of the posting of a slot that was just found, about. */
@inline
function saturationOf(cursor: usize, slot: u32): f32 {
  return saturationBy(<f32>occurrencesAt(cursor, load<u32>(cursor, CURSOR_AT)), normAt(cursor, slot));
}

/** Sets the bits of the slots below the slot count that a list has. */
export function markSlots(search: usize): void {
  const cursor = <usize>load<u32>(search, TEXT_SEARCH_CURSORS), slotCount = load<u32>(search, TEXT_SEARCH_SLOT_COUNT);
  const matches = <usize>load<u32>(search, TEXT_SEARCH_MATCHES);
  for (; !isExhausted(cursor); passBlock(cursor)) {
    if (nextLast(cursor) + WORDS_SLACK < slotCount && hasBitSet(cursor)) {
      markBitSet(cursor, matches);
      continue;
    }
    decodeNext(cursor);
    const count = load<u32>(cursor, CURSOR_COUNT);
    for (let at: u32 = 0; at < count; at++) {
      const slot = slotAt(cursor, at);
      if (slot >= slotCount) return;
      const word = matches + (<usize>(slot >>> 5) << 2);
      store<u32>(word, load<u32>(word) | (1 << (slot & 31)));
    }
  }
}

/** Words of a bit set reach so far beyond its last slot. */
const WORDS_SLACK: u32 = 128;

/** Sets the bits of the next block, which is a bit set, by its words. */
function markBitSet(cursor: usize, matches: usize): void {
  const data = <usize>load<u32>(cursor, CURSOR_DATA), from = load<u32>(cursor, CURSOR_BIT_SET_FROM);
  let word = data + TEXT_BLOCK_HEADER_BYTES, to = matches + <usize>(from >>> 3);
  const end = word + (<usize>(load<u8>(data, TEXT_BLOCK_FORM) - TEXT_BLOCK_BIT_SET) << 3), shift = <u64>(from & 7);
  for (; word < end; word += 8, to += 8) {
    const bits = load<u64>(word);
    store<u64>(to, load<u64>(to) | (bits << shift));
    // What is left of 64 bits after a shift of up to 7.
    store<u8>(to + 8, <u32>load<u8>(to + 8) | <u32>((bits >>> 1) >>> (63 - shift)));
  }
}
