// A dense query's block: its integer codes, its floats, and the factors that bound the error of both sides.
import { CODE_MAX, METRIC_COSINE, METRIC_EUCLIDEAN, QUERY_HEADER_BYTES } from '../constants';
import { isCodable, metaOffsetOf, strideOf } from './encode-row';
import { maxF32 } from './lanes';
import { squaredNorm } from './score';

export const QUERY_METRIC = 0;
export const QUERY_DIM = 4;
export const QUERY_STRIDE = 8;
export const QUERY_META_OFFSET = 12;
/** Scale f32 of the integer codes. */
export const QUERY_SCALE = 16;
/** Factor f32 for the norm of a row's residual: the norm of the quantized query. */
export const QUERY_RESIDUAL_FACTOR = 20;
/** Factor f32 for a row's norm: the norm of the query's residual, and slack for rounding. */
export const QUERY_NORM_FACTOR = 24;
/** 1 / norm of the query, f32. */
export const QUERY_INVERSE_NORM = 28;
/** Squared norm f32, rounded down by the slack. */
export const QUERY_NORM_SQUARED_LOW = 32;
/** 1 - slack, f32. */
export const QUERY_ONE_LESS_SLACK = 36;
/** Squared norm f64, as rescoring computes it. */
export const QUERY_NORM_SQUARED = 40;
/** Address u32 of the padded floats. */
export const QUERY_FLOATS = 48;
/** Four row numbers u32 that a scan has gathered. */
export const QUERY_GATHERED = 64;

/** 14 bits: two unsigned planes of 7 bits. */
const QUERY_CODE_MAX: i32 = 8191;
const QUERY_CODE_SHIFT: i32 = 8192;

/**
 * The relative rounding of one step is 2^-24. A key and a rescored score together take fewer than dim / 16 + 70 such
 * steps of |q||x| (or of |q|^2 + |x|^2); the slack is twice that.
 */
@inline
function slackOf(dim: i32): f64 {
  return (<f64>dim / 16 + 70) * 1.1920928955078125e-7;
}

/** Relative slack for the rounding of norms to f32. */
const UP: f64 = 1.000001;

/** The largest code for which no dot product of this many terms overflows 32 bits. */
@inline
function codeMaxOf(dim: i32): i32 {
  return min(QUERY_CODE_MAX, i32.MAX_VALUE / (CODE_MAX * dim));
}

/** Fills the block at `query` (16-byte aligned) from `dim` floats at `source`. */
export function prepareQuery(source: usize, dim: i32, metric: i32, query: usize): void {
  const stride = strideOf(dim);
  const floats = query + <usize>(QUERY_HEADER_BYTES + 2 * stride);
  memory.copy(floats, source, <usize>dim << 2);
  memory.fill(floats + (<usize>dim << 2), 0, <usize>(stride - dim) << 2);
  store<i32>(query, metric, QUERY_METRIC);
  store<i32>(query, dim, QUERY_DIM);
  store<i32>(query, stride, QUERY_STRIDE);
  store<i32>(query, metaOffsetOf(stride), QUERY_META_OFFSET);
  store<usize>(query, floats, QUERY_FLOATS);
  store<f64>(query, squaredNorm(floats, dim), QUERY_NORM_SQUARED);
  writeQueryCodes(query, floats, stride, codeMaxOf(dim));
}

function writeQueryCodes(query: usize, floats: usize, stride: i32, codeMax: i32): void {
  const largest = magnitudeOf(floats, stride);
  const codable = isCodable(largest);
  const scale: f32 = codable ? largest / <f32>codeMax : 0;
  const factor = f32x4.splat(codable ? <f32>codeMax / largest : 0), limit = f32x4.splat(<f32>codeMax);
  let codeSquares = f64x2.splat(0), lossSquares = codeSquares;
  for (let at = 0; at < stride; at += 16) {
    const from = floats + (<usize>at << 2);
    const a = codesOf(from, factor, limit), b = codesOf(from + 16, factor, limit);
    const c = codesOf(from + 32, factor, limit), d = codesOf(from + 48, factor, limit);
    storeCodes(query + QUERY_HEADER_BYTES + (<usize>at << 1), i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
    codeSquares = f64x2.add(f64x2.add(codeSquares, squaresOf(a)), f64x2.add(squaresOf(b), f64x2.add(squaresOf(c), squaresOf(d))));
    lossSquares = f64x2.add(lossSquares, f64x2.add(lossOf(from, a, scale), lossOf(from + 16, b, scale)));
    lossSquares = f64x2.add(lossSquares, f64x2.add(lossOf(from + 32, c, scale), lossOf(from + 48, d, scale)));
  }
  store<f32>(query, scale, QUERY_SCALE);
  writeBounds(query, <f64>scale * Math.sqrt(sumF64(codeSquares)), Math.sqrt(sumF64(lossSquares)));
  if (!codable && largest != 0) store<f32>(query, Infinity, QUERY_RESIDUAL_FACTOR);
}

/**
 * Integer codes of four floats. Their loss is computed from the codes, so that it does not matter how a half is
 * rounded.
 */
@inline
function codesOf(floats: usize, factor: v128, limit: v128): v128 {
  const scaled = f32x4.nearest(f32x4.mul(v128.load(floats), factor));
  return i32x4.trunc_sat_f32x4_s(f32x4.max(f32x4.neg(limit), f32x4.min(limit, scaled)));
}

/** Sums of the squares of four codes. */
@inline
function squaresOf(codes: v128): v128 {
  const low = f64x2.convert_low_i32x4_s(codes), high = f64x2.convert_low_i32x4_s(upperHalf(codes));
  return f64x2.add(f64x2.mul(low, low), f64x2.mul(high, high));
}

/** Sums of the squares of what four codes lose. */
@inline
function lossOf(floats: usize, codes: v128, scale: f32): v128 {
  const values = v128.load(floats), step = f64x2.splat(scale);
  const low = f64x2.mul(step, f64x2.convert_low_i32x4_s(codes));
  const high = f64x2.mul(step, f64x2.convert_low_i32x4_s(upperHalf(codes)));
  const lowLost = f64x2.sub(f64x2.promote_low_f32x4(values), low);
  const highLost = f64x2.sub(f64x2.promote_low_f32x4(upperHalf(values)), high);
  return f64x2.add(f64x2.mul(lowLost, lowLost), f64x2.mul(highLost, highLost));
}

@inline
function upperHalf(lanes: v128): v128 {
  return v128.shuffle<i32>(lanes, lanes, 2, 3, 2, 3);
}

@inline
function sumF64(lanes: v128): f64 {
  return f64x2.extract_lane(lanes, 0) + f64x2.extract_lane(lanes, 1);
}

function writeBounds(query: usize, codedNorm: f64, lossNorm: f64): void {
  const normSquared = load<f64>(query, QUERY_NORM_SQUARED);
  const norm = Math.sqrt(normSquared);
  const slack = slackOf(load<i32>(query, QUERY_DIM));
  store<f32>(query, <f32>(codedNorm * UP), QUERY_RESIDUAL_FACTOR);
  store<f32>(query, <f32>((lossNorm + slack * norm) * UP), QUERY_NORM_FACTOR);
  store<f32>(query, <f32>(1 / norm), QUERY_INVERSE_NORM);
  store<f32>(query, <f32>(normSquared * (1 - slack)), QUERY_NORM_SQUARED_LOW);
  store<f32>(query, <f32>(1 - slack), QUERY_ONE_LESS_SLACK);
}

function magnitudeOf(floats: usize, count: i32): f32 {
  let limit = f32x4.splat(0);
  for (let at = 0; at < count; at += 4) limit = f32x4.max(limit, f32x4.abs(v128.load(floats + (<usize>at << 2))));
  return maxF32(limit);
}

/**
 * Stores 16 codes. Relaxed build: unsigned planes of 7 bits, 16 high parts and then 16 low ones. Plain build: 16-bit
 * integers.
 */
@inline
function storeCodes(address: usize, low: v128, high: v128): void {
  if (ASC_FEATURE_RELAXED_SIMD) {
    const shift = i16x8.splat(<i16>QUERY_CODE_SHIFT), mask = i16x8.splat(127);
    low = i16x8.add(low, shift), high = i16x8.add(high, shift);
    v128.store(address, i8x16.narrow_i16x8_u(i16x8.shr_u(low, 7), i16x8.shr_u(high, 7)));
    v128.store(address, i8x16.narrow_i16x8_u(v128.and(low, mask), v128.and(high, mask)), 16);
  } else {
    v128.store(address, low);
    v128.store(address, high, 16);
  }
}

/** What the shift of the planes adds to the dot products of four rows, given their code sums. */
@inline
export function shiftOf(codeSums: v128): v128 {
  return i32x4.shl(codeSums, 13);
}

@inline
export function isCosine(query: usize): bool {
  return load<i32>(query, QUERY_METRIC) == METRIC_COSINE;
}

@inline
export function isEuclidean(query: usize): bool {
  return load<i32>(query, QUERY_METRIC) == METRIC_EUCLIDEAN;
}
