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
