// Dot products of one row's codes with those of four others. Exact in both builds, because equal rows must be at equal
// distances.
import { stride } from './graph-state';
import { sumLanesOf4 } from './lanes';

/** Four times the product of 127 and a byte of 255, read as unsigned and as signed. */
const UNSIGNED: i32 = 4 * 127 * 255;
const SIGNED: i32 = 4 * 127 * -1;

/** True when `byteDotsOfFour` is exact on this processor. */
export let isByteExact: bool = false;
/** Added to the codes of the one row, to make them bytes as the products read them. */
let byteShift: i32 = 0;

/**
 * Finds out how this processor multiplies bytes. The result is only defined where one side has 7 bits; with 8 bits,
 * processors differ in whether these are signed, and some saturate sums at 16 bits. Repeated for every target, since
 * the module keeps no state between calls.
 */
export function probeByteProducts(): void {
  if (!ASC_FEATURE_RELAXED_SIMD) return;
  const sums = i32x4.relaxed_dot_i8x16_i7x16_add_s(i8x16.splat(127), i8x16.splat(-1), i32x4.splat(0));
  const sum = i32x4.extract_lane(sums, 0);
  isByteExact = sum == UNSIGNED || sum == SIGNED;
  byteShift = sum == UNSIGNED ? 128 : 0;
}

/** Integer dot products of one row's codes with those of four others, whose codes add up to `sums` i32 (relaxed build only). */
export function codeDotsOfFour(codes: usize, p0: usize, p1: usize, p2: usize, p3: usize, sums: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD && isByteExact) {
    const shifted = byteDotsOfFour(codes, p0, p1, p2, p3);
    return i32x4.sub(shifted, i32x4.mul(sums, i32x4.splat(byteShift)));
  }
  let a0 = i32x4.splat(0), a1 = a0, a2 = a0, a3 = a0;
  for (const end = codes + stride; codes < end; codes += 16) {
    const c0 = v128.load_ext<i8>(codes), c1 = v128.load_ext<i8>(codes, 8);
    a0 = addProducts(p0, c0, c1, a0);
    a1 = addProducts(p1, c0, c1, a1);
    a2 = addProducts(p2, c0, c1, a2);
    a3 = addProducts(p3, c0, c1, a3);
    p0 += 16, p1 += 16, p2 += 16, p3 += 16;
  }
  return sumLanesOf4(a0, a1, a2, a3);
}

/** The same, with `byteShift` added to each code of the one row. Two sums per row, so that they are independent. */
@inline
function byteDotsOfFour(codes: usize, p0: usize, p1: usize, p2: usize, p3: usize): v128 {
  // Adding 128 to a signed byte flips its highest bit.
  const flip = i8x16.splat(<i8>byteShift);
  let a0 = i32x4.splat(0), a1 = a0, a2 = a0, a3 = a0;
  let b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  const end = codes + stride;
  for (const pairsEnd = codes + (stride & -32); codes < pairsEnd; codes += 32) {
    const c0 = v128.xor(v128.load(codes), flip), c1 = v128.xor(v128.load(codes, 16), flip);
    a0 = addBytes(p0, c0, a0);
    a1 = addBytes(p1, c0, a1);
    a2 = addBytes(p2, c0, a2);
    a3 = addBytes(p3, c0, a3);
    b0 = addBytes(p0 + 16, c1, b0);
    b1 = addBytes(p1 + 16, c1, b1);
    b2 = addBytes(p2 + 16, c1, b2);
    b3 = addBytes(p3 + 16, c1, b3);
    p0 += 32, p1 += 32, p2 += 32, p3 += 32;
  }
  if (codes < end) {
    const c0 = v128.xor(v128.load(codes), flip);
    a0 = addBytes(p0, c0, a0);
    a1 = addBytes(p1, c0, a1);
    a2 = addBytes(p2, c0, a2);
    a3 = addBytes(p3, c0, a3);
  }
  return sumLanesOf4(i32x4.add(a0, b0), i32x4.add(a1, b1), i32x4.add(a2, b2), i32x4.add(a3, b3));
}

/** Adds the products of 16 codes of a row and 16 bytes. */
@inline
export function addBytes(row: usize, codes: v128, sum: v128): v128 {
  return i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(row), codes, sum);
}

/** Adds the products of 16 codes of a row and 16 integers of 16 bits. */
@inline
export function addProducts(row: usize, c0: v128, c1: v128, sum: v128): v128 {
  sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(row), c0));
  return i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(row, 8), c1));
}
