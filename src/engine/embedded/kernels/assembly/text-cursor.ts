// Cursors on the posting lists of texts: they pass over blocks by their last slots and bounds, and decode those that matter.
import {
  CURSOR_AT,
  CURSOR_AVERAGE,
  CURSOR_BIT_SET_BLOCK,
  CURSOR_BIT_SET_FROM,
  CURSOR_BLOCK,
  CURSOR_BLOCKS,
  CURSOR_BOUND,
  CURSOR_BOUND_BLOCK,
  CURSOR_COUNT,
  CURSOR_COUNTS,
  CURSOR_DATA,
  CURSOR_EXTENT,
  CURSOR_FROM,
  CURSOR_HEAD,
  CURSOR_LIST,
  CURSOR_MAX,
  CURSOR_NEXT,
  CURSOR_NEXT_LAST,
  CURSOR_POSITIONS,
  CURSOR_RECORDS,
  CURSOR_SATURATED,
  CURSOR_SLOTS,
  CURSOR_TAIL_COUNT,
  CURSOR_TAIL_LAST,
  CURSOR_TAIL_MAX,
  CURSOR_TOKENS,
  CURSOR_WALKED_BLOCK,
  TEXT_BLOCK_BIT_SET,
  TEXT_BLOCK_COUNT,
  TEXT_BLOCK_FORM,
  TEXT_BLOCK_HEADER_BYTES,
  TEXT_BLOCK_POSTINGS,
  TEXT_BLOCKS_MASK,
  TEXT_ENTRY_BLOCK,
  TEXT_ENTRY_LAST,
  TEXT_ENTRY_SHIFT,
  TEXT_ENTRY_SUMMARY,
  TEXT_EXTENT_SHIFT,
  TEXT_HEAD_BLOCKS,
  TEXT_HEAD_BLOCKS_LAST,
  TEXT_HEAD_EXTENTS,
  TEXT_HEAD_BYTES,
  TEXT_HEAD_SUMMARY,
  TEXT_HEAD_TAIL,
  TEXT_NO_SLOT,
  TEXT_SEARCH_BLOCK_FRAMES,
  TEXT_SEARCH_HEAD_FRAMES,
  TEXT_SEARCH_SLOT_COUNT,
  TEXT_TAIL_COUNT_MASK,
} from '../text-lists-constants';
import {
  bitsBefore,
  countAt,
  hasBit,
  positionsAt,
  skipVarints,
  unpackBitSet,
  unpackSlots,
  varintAt,
  varintEnd,
} from './text-blocks';
import { normAt, SATURATION_MAX, saturationBy, setNorms } from './text-saturation';

let blockFrames: usize = 0;
let headFrames: usize = 0;
/** Slots from here on are not part of the search, and may not even have lengths yet. */
let slotLimit: u32 = 0;
/** The bound of no posting: times the infinite weight of a huge boost, 0 would be no number. */
const NO_BOUND: f32 = 1e-30;

/** Sets the tables of frames and the slots for all cursors of a call. */
export function useFrames(search: usize): void {
  blockFrames = <usize>load<u32>(search, TEXT_SEARCH_BLOCK_FRAMES);
  headFrames = <usize>load<u32>(search, TEXT_SEARCH_HEAD_FRAMES);
  slotLimit = load<u32>(search, TEXT_SEARCH_SLOT_COUNT);
}

@inline
function addressIn(frames: usize, reference: u32): usize {
  return <usize>load<u32>(frames + (<usize>(reference >>> 16) << 2)) + <usize>(reference & 0xffff);
}

/** Places a cursor before the first posting of its list, and finds the list's highest saturation. */
export function openCursor(cursor: usize): void {
  const list = load<u32>(cursor, CURSOR_LIST);
  const average = load<f64>(cursor, CURSOR_TOKENS) / load<f64>(cursor, CURSOR_RECORDS);
  setNorms(cursor, average);
  store<f32>(cursor, <f32>average, CURSOR_AVERAGE);
  store<u32>(cursor, TEXT_NO_SLOT, CURSOR_BLOCK);
  store<u32>(cursor, TEXT_NO_SLOT, CURSOR_BOUND_BLOCK);
  store<u32>(cursor, TEXT_NO_SLOT, CURSOR_BIT_SET_BLOCK);
  store<u32>(cursor, TEXT_NO_SLOT, CURSOR_SATURATED);
  store<u32>(cursor, 0, CURSOR_WALKED_BLOCK);
  store<u32>(cursor, 0, CURSOR_FROM);
  store<f32>(cursor, NO_BOUND, CURSOR_MAX);
  store<f32>(cursor, NO_BOUND, CURSOR_TAIL_MAX);
  let blocks: u32 = 0, tail: u32 = 0;
  if (list != 0) {
    const head = addressIn(headFrames, list);
    store<u32>(cursor, <u32>head, CURSOR_HEAD);
    blocks = load<u32>(head, TEXT_HEAD_BLOCKS) & TEXT_BLOCKS_MASK;
    tail = atomic.load<u32>(head, TEXT_HEAD_TAIL) & TEXT_TAIL_COUNT_MASK;
    if (blocks != 0) {
      store<u32>(cursor, <u32>addressIn(headFrames, load<u32>(head, TEXT_HEAD_EXTENTS)), CURSOR_EXTENT);
      store<f32>(cursor, summaryBound(cursor, head + TEXT_HEAD_SUMMARY), CURSOR_MAX);
    }
  }
  store<u32>(cursor, blocks, CURSOR_BLOCKS);
  store<u32>(cursor, tail, CURSOR_TAIL_COUNT);
  if (tail != 0) {
    decodeTail(cursor);
    tail = load<u32>(cursor, CURSOR_TAIL_COUNT);
    let most: f32 = 0;
    for (let at: u32 = 0; at < tail; at++) most = max(most, saturationAt(cursor, at));
    store<f32>(cursor, most, CURSOR_TAIL_MAX);
    store<f32>(cursor, max(load<f32>(cursor, CURSOR_MAX), most), CURSOR_MAX);
  }
  setNext(cursor, 0);
}

/** Address of the entry of a block in the directory. */
@inline
function entryOf(cursor: usize, block: u32): usize {
  const extent = block >>> TEXT_EXTENT_SHIFT;
  if (extent == 0) return <usize>load<u32>(cursor, CURSOR_EXTENT) + (<usize>block << TEXT_ENTRY_SHIFT);
  const head = <usize>load<u32>(cursor, CURSOR_HEAD);
  const start = addressIn(headFrames, load<u32>(head + (<usize>extent << 2), TEXT_HEAD_EXTENTS));
  return start + (<usize>(block & ((1 << TEXT_EXTENT_SHIFT) - 1)) << TEXT_ENTRY_SHIFT);
}

/** Makes a block the next one. */
function setNext(cursor: usize, block: u32): void {
  const blocks = load<u32>(cursor, CURSOR_BLOCKS);
  let last: u32 = TEXT_NO_SLOT;
  if (block < blocks) last = load<u32>(entryOf(cursor, block), TEXT_ENTRY_LAST);
  else if (block == blocks && load<u32>(cursor, CURSOR_TAIL_COUNT) != 0) last = load<u32>(cursor, CURSOR_TAIL_LAST);
  else block = blocks + 1;
  store<u32>(cursor, block, CURSOR_NEXT);
  store<u32>(cursor, last, CURSOR_NEXT_LAST);
}

/** Goes back to the first block. */
export function rewind(cursor: usize): void {
  setNext(cursor, 0);
}

/** True when no posting is left. */
@inline
export function isExhausted(cursor: usize): bool {
  return load<u32>(cursor, CURSOR_NEXT) > load<u32>(cursor, CURSOR_BLOCKS);
}

/** Goes to the block after the next one. */
@inline
export function passBlock(cursor: usize): void {
  setNext(cursor, load<u32>(cursor, CURSOR_NEXT) + 1);
}

/** Passes over blocks that end before a slot, without decoding any: by doubling steps, then by halves. */
@inline
export function passTo(cursor: usize, slot: u32): void {
  if (load<u32>(cursor, CURSOR_NEXT_LAST) < slot) gallop(cursor, slot);
}

function gallop(cursor: usize, slot: u32): void {
  const blocks = load<u32>(cursor, CURSOR_BLOCKS);
  let low = load<u32>(cursor, CURSOR_NEXT) + 1, high = low, step: u32 = 1;
  while (high < blocks && load<u32>(entryOf(cursor, high), TEXT_ENTRY_LAST) < slot) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  high = min(high, blocks);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<u32>(entryOf(cursor, middle), TEXT_ENTRY_LAST) < slot) low = middle + 1;
    else high = middle;
  }
  setNext(cursor, low);
  if (load<u32>(cursor, CURSOR_NEXT_LAST) < slot) setNext(cursor, low + 1);
}

/** The first slot that the next block may hold. */
@inline
export function nextFrom(cursor: usize): u32 {
  const block = load<u32>(cursor, CURSOR_NEXT);
  if (block > load<u32>(cursor, CURSOR_BLOCKS)) return TEXT_NO_SLOT;
  return block == 0 ? 0 : load<u32>(entryOf(cursor, block - 1), TEXT_ENTRY_LAST) + 1;
}

/** The last slot of the next block. */
@inline
export function nextLast(cursor: usize): u32 {
  return load<u32>(cursor, CURSOR_NEXT_LAST);
}

/** The highest saturation in the next block. */
@inline
export function nextBound(cursor: usize): f32 {
  const block = load<u32>(cursor, CURSOR_NEXT);
  if (load<u32>(cursor, CURSOR_BOUND_BLOCK) == block) return load<f32>(cursor, CURSOR_BOUND);
  const bound = boundOf(cursor, block);
  store<u32>(cursor, block, CURSOR_BOUND_BLOCK);
  store<f32>(cursor, bound, CURSOR_BOUND);
  return bound;
}

/** The highest saturation in a block. */
export function boundOf(cursor: usize, block: u32): f32 {
  const blocks = load<u32>(cursor, CURSOR_BLOCKS);
  if (block < blocks) return summaryBound(cursor, entryOf(cursor, block) + TEXT_ENTRY_SUMMARY);
  return block == blocks ? load<f32>(cursor, CURSOR_TAIL_MAX) : NO_BOUND;
}

/** The highest saturation from the next block to the one that holds `until` - 1. */
export function boundUntil(cursor: usize, until: u32): f32 {
  const blocks = load<u32>(cursor, CURSOR_BLOCKS);
  let bound = NO_BOUND;
  for (let block = load<u32>(cursor, CURSOR_NEXT); block <= blocks; block++) {
    bound = max(bound, boundOf(cursor, block));
    if (block == blocks || load<u32>(entryOf(cursor, block), TEXT_ENTRY_LAST) >= until - 1) break;
  }
  return bound;
}

function summaryBound(cursor: usize, summary: usize): f32 {
  const density = load<f32>(summary) * max<f32>(1, load<f32>(cursor, CURSOR_AVERAGE) / load<f32>(summary, 4));
  return (density * SATURATION_MAX) / (density + 1);
}

/** Decodes the next block, unless it is decoded already. */
@inline
export function decodeNext(cursor: usize): void {
  if (load<u32>(cursor, CURSOR_BLOCK) != load<u32>(cursor, CURSOR_NEXT)) decode(cursor, TEXT_NO_SLOT);
}

/** Decodes the next block up to a slot, unless it is decoded already: enough to find slots up to that one. */
@inline
export function decodeUntil(cursor: usize, slot: u32): void {
  if (load<u32>(cursor, CURSOR_BLOCK) != load<u32>(cursor, CURSOR_NEXT)) decode(cursor, slot);
}

function decode(cursor: usize, until: u32): void {
  const block = load<u32>(cursor, CURSOR_NEXT);
  if (block == load<u32>(cursor, CURSOR_BLOCKS)) {
    decodeTail(cursor);
    return;
  }
  const base = block == 0 ? 0 : load<u32>(entryOf(cursor, block - 1), TEXT_ENTRY_LAST);
  const data = addressIn(blockFrames, load<u32>(entryOf(cursor, block), TEXT_ENTRY_BLOCK));
  const count = <u32>load<u8>(data, TEXT_BLOCK_COUNT), form = <u32>load<u8>(data, TEXT_BLOCK_FORM);
  const slots = cursor + CURSOR_SLOTS, packed = data + TEXT_BLOCK_HEADER_BYTES;
  let isWhole = true;
  if (form < <u32>TEXT_BLOCK_BIT_SET) isWhole = unpackSlots(packed, form, base, slots, until);
  else unpackBitSet(packed, form - TEXT_BLOCK_BIT_SET, base, slots);
  if (isWhole && count < <u32>TEXT_BLOCK_POSTINGS) fillUp(slots, count);
  store<u32>(cursor, isWhole ? block : TEXT_NO_SLOT, CURSOR_BLOCK);
  store<u32>(cursor, TEXT_NO_SLOT, CURSOR_BIT_SET_BLOCK);
  store<u32>(cursor, count, CURSOR_COUNT);
  store<u32>(cursor, <u32>data, CURSOR_DATA);
  store<u32>(cursor, 0, CURSOR_FROM);
}

/** True when the next block has a bit set to look at: its data are then those of the cursor. False when it is decoded already. */
@inline
export function hasBitSet(cursor: usize): bool {
  const block = load<u32>(cursor, CURSOR_NEXT);
  if (load<u32>(cursor, CURSOR_BIT_SET_BLOCK) == block) return true;
  return load<u32>(cursor, CURSOR_BLOCK) != block && block != load<u32>(cursor, CURSOR_BLOCKS) && enterBitSet(cursor, block);
}

function enterBitSet(cursor: usize, block: u32): bool {
  const data = addressIn(blockFrames, load<u32>(entryOf(cursor, block), TEXT_ENTRY_BLOCK));
  if (<u32>load<u8>(data, TEXT_BLOCK_FORM) < <u32>TEXT_BLOCK_BIT_SET) return false;
  store<u32>(cursor, block == 0 ? 0 : load<u32>(entryOf(cursor, block - 1), TEXT_ENTRY_LAST), CURSOR_BIT_SET_FROM);
  store<u32>(cursor, <u32>data, CURSOR_DATA);
  store<u32>(cursor, block, CURSOR_BIT_SET_BLOCK);
  store<u32>(cursor, TEXT_NO_SLOT, CURSOR_BLOCK);
  return true;
}

/** Searches need no bounds within a block of fewer postings. */
function fillUp(slots: usize, count: u32): void {
  memory.fill(slots + (<usize>count << 2), 0xff, <usize>(TEXT_BLOCK_POSTINGS - count) << 2);
}

function decodeTail(cursor: usize): void {
  const head = <usize>load<u32>(cursor, CURSOR_HEAD);
  const blocks = load<u32>(cursor, CURSOR_BLOCKS);
  let count = load<u32>(cursor, CURSOR_TAIL_COUNT), last: u32 = 0, slot: u32 = blocks == 0 ? 0 : load<u32>(head, TEXT_HEAD_BLOCKS_LAST);
  let at = head + tailOffset(blocks);
  for (let i: u32 = 0; i < count; i++) {
    const first = varintAt(at);
    let occurrences: u32 = 1;
    at = varintEnd;
    if ((first & 1) != 0) {
      occurrences = varintAt(at);
      at = varintEnd;
    }
    slot += first >>> 1;
    if (slot >= slotLimit) {
      count = i;
      break;
    }
    last = slot;
    const posting = cursor + (<usize>i << 2);
    store<u32>(posting, slot, CURSOR_SLOTS);
    store<u32>(posting, occurrences, CURSOR_COUNTS);
    store<u32>(posting, <u32>at, CURSOR_POSITIONS);
    at = skipVarints(at, occurrences);
  }
  fillUp(cursor + CURSOR_SLOTS, count);
  store<u32>(cursor, TEXT_NO_SLOT, CURSOR_BIT_SET_BLOCK);
  store<u32>(cursor, blocks, CURSOR_BLOCK);
  store<u32>(cursor, count, CURSOR_COUNT);
  store<u32>(cursor, count, CURSOR_TAIL_COUNT);
  store<u32>(cursor, last, CURSOR_TAIL_LAST);
  store<u32>(cursor, 0, CURSOR_FROM);
}

/** Bytes of a head before its tail. */
@inline
function tailOffset(blocks: u32): usize {
  if (blocks == 0) return TEXT_HEAD_BYTES;
  return TEXT_HEAD_EXTENTS + (<usize>((blocks + (1 << TEXT_EXTENT_SHIFT) - 1) >>> TEXT_EXTENT_SHIFT) << 2);
}

/** Looks a slot up that is not before the next block. @returns false when the list lacks it; else CURSOR_AT is its posting */
@inline
export function find(cursor: usize, slot: u32): bool {
  passTo(cursor, slot);
  return !isExhausted(cursor) && findInNext(cursor, slot);
}

/** As `find`, in the next block; the slot is not after it. */
@inline
export function findInNext(cursor: usize, slot: u32): bool {
  if (hasBitSet(cursor)) {
    const words = <usize>load<u32>(cursor, CURSOR_DATA) + TEXT_BLOCK_HEADER_BYTES;
    const bit = slot - load<u32>(cursor, CURSOR_BIT_SET_FROM);
    if (!hasBit(words, bit)) return false;
    store<u32>(cursor, bitsBefore(words, bit), CURSOR_AT);
    return true;
  }
  decodeNext(cursor);
  const at = firstFrom(cursor, slot);
  store<u32>(cursor, at, CURSOR_AT);
  return slotAt(cursor, at) == slot;
}

/** Number of the first posting of the decoded block whose slot is `slot` or more; one must be. */
@inline
export function firstFrom(cursor: usize, slot: u32): u32 {
  const slots = cursor + CURSOR_SLOTS;
  let at: usize = 0;
  at += <usize>(load<u32>(slots + at, 63 * 4) < slot) << 8;
  at += <usize>(load<u32>(slots + at, 31 * 4) < slot) << 7;
  at += <usize>(load<u32>(slots + at, 15 * 4) < slot) << 6;
  at += <usize>(load<u32>(slots + at, 7 * 4) < slot) << 5;
  at += <usize>(load<u32>(slots + at, 3 * 4) < slot) << 4;
  at += <usize>(load<u32>(slots + at, 1 * 4) < slot) << 3;
  at += <usize>(load<u32>(slots + at) < slot) << 2;
  return <u32>(at >>> 2);
}

/** The slot of a posting of the decoded block. */
@inline
export function slotAt(cursor: usize, at: u32): u32 {
  return load<u32>(cursor + (<usize>at << 2), CURSOR_SLOTS);
}

/** The occurrences in a posting of the decoded block. */
@inline
export function occurrencesAt(cursor: usize, at: u32): u32 {
  if (load<u32>(cursor, CURSOR_BLOCK) == load<u32>(cursor, CURSOR_BLOCKS)) {
    return load<u32>(cursor + (<usize>at << 2), CURSOR_COUNTS);
  }
  return countAt(<usize>load<u32>(cursor, CURSOR_DATA), at);
}

/** Address of the positions of a posting of the decoded block. */
export function positionsOf(cursor: usize, at: u32): usize {
  if (load<u32>(cursor, CURSOR_BLOCK) == load<u32>(cursor, CURSOR_BLOCKS)) {
    return <usize>load<u32>(cursor + (<usize>at << 2), CURSOR_POSITIONS);
  }
  return positionsAt(<usize>load<u32>(cursor, CURSOR_DATA), at);
}

/** The saturation of a posting of the decoded block, about. */
@inline
export function saturationAt(cursor: usize, at: u32): f32 {
  return saturationBy(<f32>occurrencesAt(cursor, at), normAt(cursor, slotAt(cursor, at)));
}
