// Blocks of posting lists of texts: up to 128 differences of slots, bit-packed in four lanes (Lemire and Boytsov,
// "Decoding billions of integers per second through vectorization", 2015), or a bit set of slots that lie close together;
// occurrence counts, and positions.
import {
  TEXT_BLOCK_BIT_SET,
  TEXT_BLOCK_BYTE_POSITIONS,
  TEXT_BLOCK_COUNT_BITS,
  TEXT_BLOCK_FORM,
  TEXT_BLOCK_HEADER_BYTES,
  TEXT_BLOCK_POSTINGS,
  TEXT_PACKED_BYTES_A_BIT,
} from '../text-lists-constants';

/**
 * Writes 128 slots from their packed differences, at least up to the first of `until` or more; what is left is TEXT_NO_SLOT.
 * @param base the slot before the first. @returns false when some are left
 */
export function unpackSlots(packed: usize, bits: u32, base: u32, out: usize, until: u32): bool {
  let before = i32x4.splat(base);
  if (bits == 0) {
    for (let i = 0; i < TEXT_BLOCK_POSTINGS / 4; i++, out += 16) v128.store(out, before);
    return true;
  }
  const end = out + TEXT_BLOCK_POSTINGS * 4;
  const mask = i32x4.splat(bits == 32 ? -1 : (1 << bits) - 1), zero = i32x4.splat(0);
  let bit: u32 = 0;
  for (; out < end; out += 16, bit += bits) {
    let lanes = fourAt(packed, bit, bits, mask);
    lanes = i32x4.add(lanes, v128.shuffle<i32>(zero, lanes, 0, 4, 5, 6));
    lanes = i32x4.add(lanes, v128.shuffle<i32>(zero, lanes, 0, 1, 4, 5));
    lanes = i32x4.add(lanes, before);
    v128.store(out, lanes);
    before = v128.shuffle<i32>(lanes, lanes, 3, 3, 3, 3);
    if (<u32>i32x4.extract_lane(lanes, 3) < until) continue;
    out += 16;
    if (out == end) return true;
    memory.fill(out, 0xff, end - out);
    return false;
  }
  return true;
}

/** Writes the slots of a bit set of so many words. @param from the slot of the first bit */
export function unpackBitSet(words: usize, count: u32, from: u32, out: usize): void {
  for (const end = words + (<usize>count << 3); words < end; words += 8, from += 64) {
    for (let bits = load<u64>(words); bits != 0; bits &= bits - 1, out += 4) store<u32>(out, from + <u32>ctz(bits));
  }
}

/** How many bits of a set come before one. */
@inline
export function bitsBefore(words: usize, bit: u32): u32 {
  const end = words + (<usize>(bit >>> 6) << 3);
  let count: u64 = 0;
  for (; words < end; words += 8) count += popcnt(load<u64>(words));
  return <u32>(count + popcnt(load<u64>(end) & ((<u64>1 << (bit & 63)) - 1)));
}

@inline
export function hasBit(words: usize, bit: u32): bool {
  return ((load<u64>(words + (<usize>(bit >>> 6) << 3)) >>> (bit & 63)) & 1) != 0;
}

/** Writes 128 numbers, each one more than what is packed. */
export function unpackCounts(packed: usize, bits: u32, out: usize): void {
  const one = i32x4.splat(1);
  if (bits == 0) {
    for (let i = 0; i < TEXT_BLOCK_POSTINGS / 4; i++, out += 16) v128.store(out, one);
    return;
  }
  const mask = i32x4.splat((1 << bits) - 1);
  let bit: u32 = 0;
  for (let i = 0; i < TEXT_BLOCK_POSTINGS / 4; i++, out += 16, bit += bits) {
    v128.store(out, i32x4.add(fourAt(packed, bit, bits, mask), one));
  }
}

@inline
function fourAt(packed: usize, bit: u32, bits: u32, mask: v128): v128 {
  const word = packed + (<usize>(bit >>> 5) << 4), shift = bit & 31;
  let lanes = i32x4.shr_u(v128.load(word), shift);
  if (shift + bits > 32) lanes = v128.or(lanes, i32x4.shl(v128.load(word, 16), 32 - shift));
  return v128.and(lanes, mask);
}

/** The occurrences of the posting at `at` in a sealed block. */
@inline
export function countAt(block: usize, at: u32): u32 {
  const bits = <u32>load<u8>(block, TEXT_BLOCK_COUNT_BITS);
  if (bits == 0) return 1;
  const bit = (at >>> 2) * bits, shift = bit & 31;
  const word = countsOf(block) + (<usize>(bit >>> 5) << 4) + (<usize>(at & 3) << 2);
  let number = load<u32>(word) >>> shift;
  if (shift + bits > 32) number |= load<u32>(word, 16) << (32 - shift);
  return (number & ((1 << bits) - 1)) + 1;
}

/** Address of the packed occurrence counts. */
@inline
export function countsOf(block: usize): usize {
  const form = <usize>load<u8>(block, TEXT_BLOCK_FORM);
  const bytes = form < <usize>TEXT_BLOCK_BIT_SET ? form * TEXT_PACKED_BYTES_A_BIT : (form - TEXT_BLOCK_BIT_SET) << 3;
  return block + TEXT_BLOCK_HEADER_BYTES + bytes;
}

/** Address of the positions of the posting at `at` in a sealed block. */
export function positionsAt(block: usize, at: u32): usize {
  const bits = <u32>load<u8>(block, TEXT_BLOCK_COUNT_BITS), counts = countsOf(block);
  const before = bits == 0 ? at : at + sumOfFours(counts, bits, 0, at >>> 2) + sumInFour(counts, bits, at);
  return skipPositions(block, counts + <usize>bits * TEXT_PACKED_BYTES_A_BIT, before);
}

/** The address after `count` positions of a sealed block. */
@inline
export function skipPositions(block: usize, positions: usize, count: u32): usize {
  return load<u8>(block, TEXT_BLOCK_BYTE_POSITIONS) != 0 ? positions + count : skipVarints(positions, count);
}

/** The sum of packed numbers, by fours: those of number `first` up to `end`. */
export function sumOfFours(packed: usize, bits: u32, first: u32, end: u32): u32 {
  const mask = i32x4.splat((1 << bits) - 1);
  let sums = i32x4.splat(0), bit = first * bits;
  for (; first < end; first++, bit += bits) sums = i32x4.add(sums, fourAt(packed, bit, bits, mask));
  return i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
}

/** The sum of the packed numbers of the same four before one. */
export function sumInFour(packed: usize, bits: u32, at: u32): u32 {
  const left = at & 3;
  if (left == 0) return 0;
  const last = fourAt(packed, (at >>> 2) * bits, bits, i32x4.splat((1 << bits) - 1));
  let sum = i32x4.extract_lane(last, 0);
  if (left > 1) sum += i32x4.extract_lane(last, 1);
  if (left > 2) sum += i32x4.extract_lane(last, 2);
  return sum;
}

/** The address after `count` varints. */
export function skipVarints(at: usize, count: u32): usize {
  while (count >= 16) {
    // Bytes below 128 end varints.
    const ends = 16 - popcnt(i8x16.bitmask(v128.load(at)));
    at += 16;
    count -= ends;
  }
  for (; count > 0; at++) if (load<u8>(at) < 128) count--;
  return at;
}

/** Where the varint that was read last ends. */
export let varintEnd: usize = 0;

/** Reads a varint, and sets `varintEnd`. */
@inline
export function varintAt(at: usize): u32 {
  let byte = <u32>load<u8>(at++);
  if (byte < 128) {
    varintEnd = at;
    return byte;
  }
  let number = byte & 127;
  let shift: u32 = 7;
  do {
    byte = load<u8>(at++);
    number |= (byte & 127) << shift;
    shift += 7;
  } while (byte >= 128);
  varintEnd = at;
  return number;
}
