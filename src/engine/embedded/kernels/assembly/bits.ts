// Bitmaps: u32 words, low bit first.
import { sumI32 } from './lanes';

/** Clears the bits of `bitmap` that `other` does not have. @returns the number of bits left */
export function intersectBits(bitmap: usize, other: usize, words: i32): i32 {
  const end = bitmap + (<usize>words << 2), fours = bitmap + (<usize>(words & -4) << 2);
  let counts = i32x4.splat(0), left = 0;
  for (; bitmap < fours; bitmap += 16, other += 16) {
    const both = v128.and(v128.load(bitmap), v128.load(other));
    v128.store(bitmap, both);
    counts = i32x4.add(counts, countsOf(both));
  }
  for (; bitmap < end; bitmap += 4, other += 4) {
    const both = load<u32>(bitmap) & load<u32>(other);
    store<u32>(bitmap, both);
    left += popcnt(both);
  }
  return left + sumI32(counts);
}

/** Counts the bits set among the first `words` * 32. @returns their number */
export function countBits(bitmap: usize, words: i32): i32 {
  const end = bitmap + (<usize>words << 2), fours = bitmap + (<usize>(words & -4) << 2);
  let counts = i32x4.splat(0), count = 0;
  for (; bitmap < fours; bitmap += 16) counts = i32x4.add(counts, countsOf(v128.load(bitmap)));
  for (; bitmap < end; bitmap += 4) count += popcnt(load<u32>(bitmap));
  return count + sumI32(counts);
}

@inline
function countsOf(bits: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(bits)));
}

/**
 * Writes a bit for each of `count` f64: set where it lies from `low` to `high`, which nothing that is no number does. What
 * follows them is read up to a multiple of 32, and what is left of the last word is 0.
 */
export function testWithin(numbers: usize, count: i32, low: f64, high: f64, bits: usize): void {
  const lows = f64x2.splat(low), highs = f64x2.splat(high);
  for (let left = count; left > 0; left -= 32, numbers += 256, bits += 4) {
    const word = sixteenWithin(numbers, lows, highs) | (sixteenWithin(numbers + 128, lows, highs) << 16);
    store<u32>(bits, left < 32 ? word & ((<u32>1 << left) - 1) : word);
  }
}

@inline
function sixteenWithin(numbers: usize, lows: v128, highs: v128): u32 {
  const first = i16x8.narrow_i32x4_s(fourWithin(numbers, lows, highs), fourWithin(numbers + 32, lows, highs));
  const second = i16x8.narrow_i32x4_s(fourWithin(numbers + 64, lows, highs), fourWithin(numbers + 96, lows, highs));
  return <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(first, second));
}

@inline
function fourWithin(numbers: usize, lows: v128, highs: v128): v128 {
  return v128.shuffle<i32>(twoWithin(numbers, lows, highs), twoWithin(numbers + 16, lows, highs), 0, 2, 4, 6);
}

@inline
function twoWithin(numbers: usize, lows: v128, highs: v128): v128 {
  const two = v128.load(numbers);
  return v128.and(f64x2.ge(two, lows), f64x2.le(two, highs));
}
