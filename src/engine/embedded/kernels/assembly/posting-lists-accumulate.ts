// Upper bounds of the scores of a chunk's slots: term at a time, the quantized impacts of the query's posting lists are
// added to integer accumulators (the "sums").
import {
  FOUND_LIST_BYTES,
  GROUPED_LIST_BYTES,
  POSTINGS_QUERY_FOUND,
  SUM_COUNT_BITS,
  SUM_UNIT_BITS,
} from '../posting-lists-constants';
import { FOUND_AT, FOUND_COUNT, FOUND_LOW, FOUND_STEP, FOUND_VALUE, findLists, paddedSlots } from './posting-lists-lookup';
import { foundOf, groupOf } from './posting-lists-query';

const COUNT_MASK: i32 = (1 << SUM_COUNT_BITS) - 1;
/** Minimum unit, against division by 0 when all bounds are 0. */
const UNIT_MIN: f64 = 1e-200;
/** Weights of the dense lists that are added together are 16-bit integers. */
const GROUP_WEIGHT_MAX: f64 = 32766;
/** Slack for the rounding of exact scores. */
const SCORE_SLACK: f64 = 1.000001;

/**
 * Writes a sum i32 for every slot of a chunk to `sums`: bound << SUM_COUNT_BITS
 * number of lists that contain the slot (some are counted together). The score of a slot is at most (its bound + 1)
 * times the unit; a sum of 0 means that the slot shares no index with the query. Writes nothing when no slot of the
 * chunk can reach `least`.
 * @returns the unit, or 0 when no slot can reach `least`
 */
export function boundSlots(
  query: usize,
  frames: usize,
  frameCount: i32,
  slotCount: i32,
  least: f64,
  sums: usize,
): f64 {
  const total = findLists(query, frames, frameCount, slotCount);
  const found = load<u32>(query, POSTINGS_QUERY_FOUND);
  if (found == 0 || total * SCORE_SLACK < least) return 0;
  const unit = max(UNIT_MIN, total / <f64>(1 << SUM_UNIT_BITS));
  const scale = <f64>(1 << SUM_COUNT_BITS) / unit;
  addGroup(query, scale, paddedSlots(slotCount), sums);
  const lists = foundOf(query), end = lists + <usize>found * FOUND_LIST_BYTES;
  for (let list = lists; list < end; list += FOUND_LIST_BYTES) {
    if (!isGrouped(list)) addList(list, scale, paddedSlots(slotCount), sums);
  }
  return unit;
}

/** True for dense lists that only need weight * code: these are added together. */
@inline
function isGrouped(list: usize): bool {
  return load<u32>(list, FOUND_COUNT) == 0 && load<f32>(list, FOUND_LOW) == 0 && load<f64>(list, FOUND_VALUE) >= 0;
}

/** The weight of one step of a list's codes, in the unit of the sums. */
@inline
function weightOf(list: usize, scale: f64): f64 {
  return load<f64>(list, FOUND_VALUE) * <f64>load<f32>(list, FOUND_STEP) * scale;
}

/** Adds the bounds of a list's postings: offset + code * weight, rounded up to a unit, and one for the count. */
function addList(list: usize, scale: f64, slots: i32, sums: usize): void {
  const low = <f64>load<f32>(list, FOUND_LOW), step = <f64>load<f32>(list, FOUND_STEP);
  const value = load<f64>(list, FOUND_VALUE);
  const weight = <i32>ceil(weightOf(list, scale));
  const offset = <i32>ceil(value * (value < 0 ? low - step : low) * scale) + COUNT_MASK;
  const at = <usize>load<u32>(list, FOUND_AT), count = load<u32>(list, FOUND_COUNT);
  if (count == 0) addDense(at, weight, offset, slots, sums);
  else addPostings(at, count, weight, offset, sums);
}

function addPostings(slots: usize, count: u32, weight: i32, offset: i32, sums: usize): void {
  const end = slots + (<usize>count << 1);
  let codes = end;
  const endOfFours = slots + (<usize>(count & ~3) << 1);
  for (; slots < endOfFours; slots += 8, codes += 4) {
    addPosting(sums + (<usize>load<u16>(slots) << 2), load<u8>(codes), weight, offset);
    addPosting(sums + (<usize>load<u16>(slots, 2) << 2), load<u8>(codes, 1), weight, offset);
    addPosting(sums + (<usize>load<u16>(slots, 4) << 2), load<u8>(codes, 2), weight, offset);
    addPosting(sums + (<usize>load<u16>(slots, 6) << 2), load<u8>(codes, 3), weight, offset);
  }
  for (; slots < end; slots += 2, codes++) {
    addPosting(sums + (<usize>load<u16>(slots) << 2), load<u8>(codes), weight, offset);
  }
}

@inline
function addPosting(address: usize, code: i32, weight: i32, offset: i32): void {
  store<i32>(address, load<i32>(address) + (((code * weight + offset) & ~COUNT_MASK) | 1));
}

function addDense(codes: usize, weight: i32, offset: i32, slots: i32, sums: usize): void {
  const weights = i32x4.splat(weight), offsets = i32x4.splat(offset);
  const end = codes + <usize>slots;
  for (; codes < end; codes += 16, sums += 64) {
    const bytes = v128.load(codes);
    const low = i16x8.extend_low_i8x16_u(bytes), high = i16x8.extend_high_i8x16_u(bytes);
    addFour(sums, i32x4.extend_low_i16x8_u(low), weights, offsets);
    addFour(sums + 16, i32x4.extend_high_i16x8_u(low), weights, offsets);
    addFour(sums + 32, i32x4.extend_low_i16x8_u(high), weights, offsets);
    addFour(sums + 48, i32x4.extend_high_i16x8_u(high), weights, offsets);
  }
}

@inline
function addFour(address: usize, codes: v128, weights: v128, offsets: v128): void {
  const products = i32x4.add(i32x4.mul(codes, weights), offsets);
  const bounds = v128.or(v128.andnot(products, i32x4.splat(COUNT_MASK)), i32x4.splat(1));
  const present = i32x4.gt_s(codes, i32x4.splat(0));
  v128.store(address, i32x4.add(v128.load(address), v128.and(bounds, present)));
}

/**
 * Sets all sums to what the grouped lists contribute, computed for pairs of lists in 16-bit products in a unit of 1 <<
 * shift.
 */
function addGroup(query: usize, scale: f64, slots: i32, sums: usize): void {
  const lists = foundOf(query), end = lists + <usize>load<u32>(query, POSTINGS_QUERY_FOUND) * FOUND_LIST_BYTES;
  let largest: f64 = 0;
  for (let list = lists; list < end; list += FOUND_LIST_BYTES) {
    if (isGrouped(list)) largest = max(largest, weightOf(list, scale));
  }
  let shift = 0;
  while (largest > GROUP_WEIGHT_MAX * <f64>(1 << shift)) shift++;
  const group = groupOf(query);
  let address = group;
  for (let list = lists; list < end; list += FOUND_LIST_BYTES) {
    if (!isGrouped(list)) continue;
    store<u32>(address, load<u32>(list, FOUND_AT));
    // Never 0, because a sum of 0 means that no index is shared.
    const weight = max<u32>(1, <u32>ceil(weightOf(list, scale) / <f64>(1 << shift)));
    if (((address - group) & GROUPED_LIST_BYTES) == 0) store<u32>(address, weight, 4);
    else store<u32>(address - GROUPED_LIST_BYTES, load<u32>(address - GROUPED_LIST_BYTES, 4) | (weight << 16), 4);
    address += GROUPED_LIST_BYTES;
  }
  if (address == group) {
    memory.fill(sums, 0, <usize>slots << 2);
    return;
  }
  // The partner of an odd list has weight 0.
  if (((address - group) & GROUPED_LIST_BYTES) != 0) store<u32>(address, load<u32>(address - GROUPED_LIST_BYTES));
  for (let slot: usize = 0; slot < <usize>slots; slot += 16) setSixteen(group, address, slot, shift, sums + (slot << 2));
}

/** Sets the sums of 16 slots from the pairs of lists between `group` and `end`. */
@inline
function setSixteen(group: usize, end: usize, slot: usize, shift: i32, sums: usize): void {
  let a = i32x4.splat(0), b = a, c = a, d = a;
  for (let pair = group; pair < end; pair += 2 * GROUPED_LIST_BYTES) {
    const x = v128.load(<usize>load<u32>(pair) + slot), y = v128.load(<usize>load<u32>(pair, 8) + slot);
    const weights = v128.load_splat<u32>(pair, 4);
    const low = v128.shuffle<i8>(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const high = v128.shuffle<i8>(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    a = i32x4.add(a, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(low), weights));
    b = i32x4.add(b, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(low), weights));
    c = i32x4.add(c, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(high), weights));
    d = i32x4.add(d, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(high), weights));
  }
  v128.store(sums, toSums(a, shift));
  v128.store(sums, toSums(b, shift), 16);
  v128.store(sums, toSums(c, shift), 32);
  v128.store(sums, toSums(d, shift), 48);
}

/** Rounds up to units, and sets the count to 1 where anything was added. */
@inline
function toSums(products: v128, shift: i32): v128 {
  const rounded = i32x4.add(i32x4.shl(products, shift), i32x4.splat(COUNT_MASK));
  return i32x4.sub(v128.andnot(rounded, i32x4.splat(COUNT_MASK)), i32x4.ne(products, i32x4.splat(0)));
}
