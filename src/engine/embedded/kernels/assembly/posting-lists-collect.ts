// Evaluates the sums of a chunk: collects slots that may be among the best, or stores bounds for a hybrid search. Also
// scores entries that no posting list has yet.
import {
  OFFER_BITMAP,
  OFFER_FIRST_SLOT,
  OFFER_HEAP,
  OFFER_LEAST,
  OFFER_OUT,
  OFFER_SLOT_COUNT,
  OFFER_SUMS,
  OFFER_UNIT,
} from '../parameters';
import { DENSE_ALIGN_SLOTS, SCORED_BYTES, SUM_COUNT_BITS } from '../posting-lists-constants';
import { countOffered, heapThreshold, keepIfBetter } from './heap';
import { bytesOfEntry, dotOfEntry, sharedTerms } from './posting-lists-query';

/** Slack for the rounding of a bound to f32: 2^-22. */
const ROUNDING: f64 = 2.384185791015625e-7;

/**
 * Offers (upper bound of the score, slot) of every matching slot whose sum reaches `least` to the heap, by the block in
 * the header of the query's block (see parameters.ts).
 */
export function offerCandidates(query: usize): void {
  const sums = load<usize>(query, OFFER_SUMS), slotCount = load<i32>(query, OFFER_SLOT_COUNT);
  const firstSlot = load<u32>(query, OFFER_FIRST_SLOT), bitmap = load<usize>(query, OFFER_BITMAP);
  const least = load<i32>(query, OFFER_LEAST), unit = load<f64>(query, OFFER_UNIT), heap = load<usize>(query, OFFER_HEAP);
  let out = load<usize>(query, OFFER_OUT);
  const end = out + (<usize>collectCandidates(sums, slotCount, firstSlot, bitmap, least, out) << 2);
  for (; out < end; out += 4) {
    const at = load<u32>(out);
    const key = boundOf(load<i32>(sums + (<usize>at << 2)), unit);
    countOffered(heap, 1);
    if (key >= heapThreshold(heap)) keepIfBetter(heap, key, firstSlot + at);
  }
}

/** The upper bound of a score, given its sum. */
@inline
function boundOf(sum: i32, unit: f64): f32 {
  const bound = <f64>((sum >> SUM_COUNT_BITS) + 1) * unit;
  return <f32>(bound + abs(bound) * ROUNDING);
}

/**
 * Writes the numbers u32 within the chunk of the matching slots whose sum is not 0 and reaches `least` to `out`.
 * @returns their count
 */
export function collectCandidates(
  sums: usize,
  slotCount: i32,
  firstSlot: u32,
  bitmap: usize,
  least: i32,
  out: usize,
): i32 {
  const minimums = i32x4.splat(least);
  let count = 0;
  for (let from = 0; from < slotCount; from += DENSE_ALIGN_SLOTS) {
    const address = sums + (<usize>from << 2);
    const a = reachesMinimum(address, minimums), b = reachesMinimum(address + 16, minimums);
    const c = reachesMinimum(address + 32, minimums), d = reachesMinimum(address + 48, minimums);
    if (!v128.any_true(v128.or(v128.or(a, b), v128.or(c, d)))) continue;
    let bits = i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d)));
    for (; bits != 0; bits &= bits - 1) {
      const at = from + ctz(bits);
      if (at >= slotCount || !isMatch(bitmap, firstSlot + at)) continue;
      store<u32>(out + (<usize>count << 2), at);
      count++;
    }
  }
  return count;
}

@inline
function reachesMinimum(address: usize, minimums: v128): v128 {
  const four = v128.load(address);
  return v128.and(i32x4.ge_s(four, minimums), i32x4.ne(four, i32x4.splat(0)));
}

/** Writes an upper bound f32 of every slot's score to `scores`, 0 where the slot shares no index with the query. */
export function storeBounds(sums: usize, slotCount: i32, unit: f64, scores: usize): void {
  for (let at = 0; at < slotCount; at++) {
    const sum = load<i32>(sums + (<usize>at << 2));
    store<f32>(scores + (<usize>at << 2), sum == 0 ? 0 : boundOf(sum, unit));
  }
}

/**
 * Scores the matching entries from `entry` on, up to `slotLimit` or the end of the frame. Writes (slot u32, score f32)
 * of those that share an index with the query and reach `least` to `out`.
 * @returns their count
 */
export function scoreEntries(query: usize, entry: usize, slotLimit: u32, bitmap: usize, least: f32, out: usize): i32 {
  let count = 0;
  // ENTRY_NONE is above every limit.
  for (let slot = atomic.load<u32>(entry); slot < slotLimit; slot = atomic.load<u32>(entry)) {
    if (isMatch(bitmap, slot)) {
      const score = <f32>dotOfEntry(query, entry);
      if (sharedTerms != 0 && score >= least) {
        const address = out + <usize>count * SCORED_BYTES;
        store<u32>(address, slot);
        store<f32>(address, score, 4);
        count++;
      }
    }
    entry += bytesOfEntry(entry);
  }
  return count;
}

@inline
function isMatch(bitmap: usize, slot: u32): bool {
  return ((load<u32>(bitmap + (<usize>(slot >>> 5) << 2)) >>> (slot & 31)) & 1) != 0;
}
