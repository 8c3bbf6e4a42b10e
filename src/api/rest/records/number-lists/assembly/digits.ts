// Reads runs of decimal digits, sixteen at a time.

/** Bytes that are processed together. */
export const BLOCK = 16;
const IOTA: v128 = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

/** The number of digits at the beginning of the 16 bytes, 0 to 16. */
@inline
export function leadingDigits(block: v128): i32 {
  // Adding 70 to signed bytes makes exactly the ten digits greater than 117.
  const digits = i8x16.gt_s(i8x16.add(block, i8x16.splat(70)), i8x16.splat(117));
  return ctz(~i8x16.bitmask(digits));
}

/** The value of the first `count` digits, count 0 to 16. */
@inline
export function digitsValue(block: v128, count: i32): i64 {
  // Shifts the last digit to the end and fills with zeros.
  const places = i8x16.sub(IOTA, i8x16.splat(<i8>(BLOCK - count)));
  const ones = i8x16.swizzle(v128.and(block, i8x16.splat(0x0f)), places);
  const tens = i16x8.mul(v128.and(ones, i16x8.splat(0xff)), i16x8.splat(10));
  const pairs = i16x8.add(tens, i16x8.shr_u(ones, 8));
  const fours = i32x4.dot_i16x8_s(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
  const packed = i16x8.narrow_i32x4_s(fours, fours);
  const eights = i32x4.dot_i16x8_s(packed, i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1));
  return <i64>i32x4.extract_lane(eights, 0) * 100000000 + <i64>i32x4.extract_lane(eights, 1);
}
