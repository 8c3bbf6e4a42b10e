// Scans a dense frame: computes an upper bound of every matching row's score, and keeps the best in a heap.
import { FRAME_BYTES, META_BYTES, QUERY_HEADER_BYTES } from '../constants';
import { FRAME_SCAN_BITMAP, FRAME_SCAN_HEAP, FRAME_SCAN_SPARSE_SCORES } from '../parameters';
import { countOffered, heapThreshold, keepIfBetter } from './heap';
import { sumLanesOf4 } from './lanes';
import {
  isCosine,
  isEuclidean,
  QUERY_GATHERED,
  QUERY_INVERSE_NORM,
  QUERY_META_OFFSET,
  QUERY_NORM_FACTOR,
  QUERY_NORM_SQUARED_LOW,
  QUERY_ONE_LESS_SLACK,
  QUERY_RESIDUAL_FACTOR,
  QUERY_SCALE,
  QUERY_STRIDE,
  shiftOf,
} from './query';

/** Slack for the rounding of a stored sparse score and of its addition: 2^-22. */
export const SPARSE_SLACK: f32 = 2.384185791015625e-7;

/**
 * Offers every matching row of `frame`, whose row 0 has slot `firstSlot`, to the heap. The bitmap, the heap and the
 * sparse scores (0, or an f32 per slot to add to the key) are in the header of the query's block (see parameters.ts).
 */
export function scanFrame(query: usize, frame: usize, rowCount: i32, firstSlot: u32): void {
  const bitmap = load<usize>(query, FRAME_SCAN_BITMAP), heap = load<usize>(query, FRAME_SCAN_HEAP);
  const sparseScores = load<usize>(query, FRAME_SCAN_SPARSE_SCORES);
  const endSlot = firstSlot + <u32>rowCount;
  let gathered = 0;
  for (let base = firstSlot & ~31; base < endSlot; base += 32) {
    let matching = load<u32>(bitmap + <usize>(base >> 3));
    if (base < firstSlot) matching &= <u32>-1 << (firstSlot - base);
    if (endSlot - base < 32) matching &= ~(<u32>-1 << (endSlot - base));
    for (; matching != 0; matching &= matching - 1) {
      store<u32>(query + (<usize>gathered << 2), base + ctz(matching) - firstSlot, QUERY_GATHERED);
      if (++gathered == 4) {
        offerFour(query, frame, firstSlot, 4, sparseScores, heap);
        gathered = 0;
      }
    }
  }
  if (gathered == 0) return;
  const last = load<u32>(query + (<usize>(gathered - 1) << 2), QUERY_GATHERED);
  for (let at = gathered; at < 4; at++) store<u32>(query + (<usize>at << 2), last, QUERY_GATHERED);
  offerFour(query, frame, firstSlot, gathered, sparseScores, heap);
}

/** Scores the four gathered rows, and offers the first `count` of them. */
function offerFour(query: usize, frame: usize, firstSlot: u32, count: i32, sparseScores: usize, heap: usize): void {
  let keys = keysOfFour(query, frame);
  if (sparseScores != 0) {
    const sparse = loadGathered(query, sparseScores + (<usize>firstSlot << 2));
    const room = f32x4.mul(f32x4.abs(sparse), f32x4.splat(SPARSE_SLACK));
    keys = f32x4.add(keys, f32x4.add(sparse, room));
  }
  // A bound that could not be computed (NaN) excludes no row.
  keys = f32x4.pmin(f32x4.splat(Infinity), keys);
  countOffered(heap, count);
  const better = i32x4.bitmask(f32x4.ge(keys, f32x4.splat(heapThreshold(heap)))) & ((1 << count) - 1);
  if (better == 0) return;
  if (better & 1) keepIfBetter(heap, f32x4.extract_lane(keys, 0), firstSlot + load<u32>(query, QUERY_GATHERED));
  if (better & 2) keepIfBetter(heap, f32x4.extract_lane(keys, 1), firstSlot + load<u32>(query, QUERY_GATHERED + 4));
  if (better & 4) keepIfBetter(heap, f32x4.extract_lane(keys, 2), firstSlot + load<u32>(query, QUERY_GATHERED + 8));
  if (better & 8) keepIfBetter(heap, f32x4.extract_lane(keys, 3), firstSlot + load<u32>(query, QUERY_GATHERED + 12));
}

@inline
function loadGathered(query: usize, values: usize): v128 {
  let lanes = v128.load_zero<f32>(values + (<usize>load<u32>(query, QUERY_GATHERED) << 2));
  lanes = v128.load_lane<f32>(values + (<usize>load<u32>(query, QUERY_GATHERED + 4) << 2), lanes, 1);
  lanes = v128.load_lane<f32>(values + (<usize>load<u32>(query, QUERY_GATHERED + 8) << 2), lanes, 2);
  return v128.load_lane<f32>(values + (<usize>load<u32>(query, QUERY_GATHERED + 12) << 2), lanes, 3);
}

/**
 * Upper bounds of the scores of the four gathered rows, higher is better. With x = x' + rx and q = q' + rq (' =
 * quantized), q.x = q'.x' + q'.rx + rq.x <= q'.x' + |q'||rx| + |rq||x|.
 */
@inline
function keysOfFour(query: usize, frame: usize): v128 {
  const meta = frame + <usize>load<i32>(query, QUERY_META_OFFSET);
  const m0 = v128.load(meta + <usize>(load<u32>(query, QUERY_GATHERED) * META_BYTES));
  const m1 = v128.load(meta + <usize>(load<u32>(query, QUERY_GATHERED + 4) * META_BYTES));
  const m2 = v128.load(meta + <usize>(load<u32>(query, QUERY_GATHERED + 8) * META_BYTES));
  const m3 = v128.load(meta + <usize>(load<u32>(query, QUERY_GATHERED + 12) * META_BYTES));
  const low01 = v128.shuffle<i32>(m0, m1, 0, 4, 1, 5), low23 = v128.shuffle<i32>(m2, m3, 0, 4, 1, 5);
  const high01 = v128.shuffle<i32>(m0, m1, 2, 6, 3, 7), high23 = v128.shuffle<i32>(m2, m3, 2, 6, 3, 7);
  const scales = v128.shuffle<i32>(low01, low23, 0, 1, 4, 5);
  const codeSums = v128.shuffle<i32>(low01, low23, 2, 3, 6, 7);
  const normsSquared = v128.shuffle<i32>(high01, high23, 0, 1, 4, 5);
  const residuals = v128.shuffle<i32>(high01, high23, 2, 3, 6, 7);

  // Everything but the dot products comes first, so that its latency hides behind their loads.
  const norms = f32x4.sqrt(normsSquared);
  let slopes = f32x4.mul(scales, v128.load_splat<f32>(query, QUERY_SCALE));
  let offsets = f32x4.add(
    f32x4.mul(residuals, v128.load_splat<f32>(query, QUERY_RESIDUAL_FACTOR)),
    f32x4.mul(norms, v128.load_splat<f32>(query, QUERY_NORM_FACTOR)),
  );
  if (isCosine(query)) {
    const perNorms = f32x4.div(v128.load_splat<f32>(query, QUERY_INVERSE_NORM), norms);
    slopes = f32x4.mul(slopes, perNorms);
    offsets = f32x4.mul(offsets, perNorms);
  } else if (isEuclidean(query)) {
    const squares = f32x4.add(
      v128.load_splat<f32>(query, QUERY_NORM_SQUARED_LOW),
      f32x4.mul(normsSquared, v128.load_splat<f32>(query, QUERY_ONE_LESS_SLACK)),
    );
    slopes = f32x4.add(slopes, slopes);
    offsets = f32x4.sub(f32x4.add(offsets, offsets), squares);
  }
  let products = dotsOfFour(query, frame);
  if (ASC_FEATURE_RELAXED_SIMD) products = i32x4.sub(products, shiftOf(codeSums));
  return f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(products), slopes), offsets);
}

/**
 * Integer dot products of the query's codes with the four gathered rows. Consecutive rows are prefetched: four streams
 * at once defeat the prefetcher of the processor (measured: 2 x on data from memory).
 */
@inline
function dotsOfFour(query: usize, frame: usize): v128 {
  const stride = load<i32>(query, QUERY_STRIDE);
  const r0 = load<u32>(query, QUERY_GATHERED), r3 = load<u32>(query, QUERY_GATHERED + 12);
  const p0 = frame + <usize>(r0 * stride), p3 = frame + <usize>(r3 * stride);
  const p1 = frame + <usize>(load<u32>(query, QUERY_GATHERED + 4) * stride);
  const p2 = frame + <usize>(load<u32>(query, QUERY_GATHERED + 8) * stride);
  const isRun = r3 - r0 == 3 && p3 + <usize>(5 * stride) <= frame + FRAME_BYTES;
  let ahead = isRun ? p3 + <usize>stride : query;
  const aheadStep: usize = isRun ? 64 : 0;
  let codes = query + QUERY_HEADER_BYTES;
  let a0 = i32x4.splat(0), a1 = a0, a2 = a0, a3 = a0;
  let b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  for (let at: usize = 0; at < <usize>stride; at += 16, codes += 32, ahead += aheadStep) {
    const c0 = v128.load(codes), c1 = v128.load(codes, 16);
    load<i32>(ahead);
    if (ASC_FEATURE_RELAXED_SIMD) {
      const x0 = v128.load(p0 + at), x1 = v128.load(p1 + at), x2 = v128.load(p2 + at), x3 = v128.load(p3 + at);
      a0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x0, c0, a0);
      b0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x0, c1, b0);
      a1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x1, c0, a1);
      b1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x1, c1, b1);
      a2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x2, c0, a2);
      b2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x2, c1, b2);
      a3 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x3, c0, a3);
      b3 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x3, c1, b3);
    } else {
      a0 = addProducts(p0 + at, c0, c1, a0);
      a1 = addProducts(p1 + at, c0, c1, a1);
      a2 = addProducts(p2 + at, c0, c1, a2);
      a3 = addProducts(p3 + at, c0, c1, a3);
    }
  }
  const sums = sumLanesOf4(a0, a1, a2, a3);
  if (!ASC_FEATURE_RELAXED_SIMD) return sums;
  return i32x4.add(i32x4.shl(sums, 7), sumLanesOf4(b0, b1, b2, b3));
}

@inline
function addProducts(row: usize, c0: v128, c1: v128, sum: v128): v128 {
  sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(row), c0));
  return i32x4.add(sum, i32x4.dot_i16x8_s(v128.load_ext<i8>(row, 8), c1));
}
