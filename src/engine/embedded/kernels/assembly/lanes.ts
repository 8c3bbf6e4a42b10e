// Helpers for SIMD lanes: partial loads, and sums across lanes.

/**
 * The first `count` floats at `pointer` (0 to 4; a negative count is 0), the other lanes zero. Reads no byte beyond
 * them.
 */
export function loadUpTo4(pointer: usize, count: i32): v128 {
  if (count >= 4) return v128.load(pointer);
  if (count == 3) return v128.load_lane<f32>(pointer + 8, v128.load_zero<f64>(pointer), 2);
  if (count == 2) return v128.load_zero<f64>(pointer);
  if (count == 1) return v128.load_zero<f32>(pointer);
  return f32x4.splat(0);
}

/** Lane k of the result is the sum of the lanes of argument k. */
@inline
export function sumLanesOf4(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 2, 6), v128.shuffle<i32>(a, b, 1, 5, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 2, 6), v128.shuffle<i32>(c, d, 1, 5, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

@inline
export function sumF32(a: v128): f32 {
  return f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 1) + (f32x4.extract_lane(a, 2) + f32x4.extract_lane(a, 3));
}

@inline
export function sumI32(a: v128): i32 {
  return i32x4.extract_lane(a, 0) + i32x4.extract_lane(a, 1) + (i32x4.extract_lane(a, 2) + i32x4.extract_lane(a, 3));
}

@inline
export function maxF32(a: v128): f32 {
  return max(
    max(f32x4.extract_lane(a, 0), f32x4.extract_lane(a, 1)),
    max(f32x4.extract_lane(a, 2), f32x4.extract_lane(a, 3)),
  );
}

/** The sum of the four floats, in f64. */
@inline
export function sumAsF64(a: v128): f64 {
  const pairs = f64x2.add(
    f64x2.promote_low_f32x4(a),
    f64x2.promote_low_f32x4(v128.shuffle<i32>(a, a, 2, 3, 2, 3)),
  );
  return f64x2.extract_lane(pairs, 0) + f64x2.extract_lane(pairs, 1);
}
