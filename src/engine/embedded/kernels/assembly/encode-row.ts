// Quantizes float rows to int8 codes, and writes the metadata that bounds the loss.
import {
  CODE_ALIGN_BYTES,
  CODE_MAX,
  FRAME_BYTES,
  MAGNITUDE_CODED_MAX,
  MAGNITUDE_CODED_MIN,
  META_BYTES,
  META_CODE_SUM,
  META_NORM_SQUARED,
  META_RESIDUAL_NORM,
  META_SCALE,
} from '../constants';
import { loadUpTo4, maxF32, sumF32, sumI32 } from './lanes';

/** Adding 1.5 * 2^23 leaves the nearest integer of a small float (ties to even) in the low bits. */
const ROUNDER: f32 = 12582912;
const ROUNDER_BITS: i32 = 0x4b400000;

/** Relative slack on the norm of a residual: f32 sums of up to 20,000 squares in 16 lanes lose less. */
const RESIDUAL_RELATIVE_SLACK: f64 = 1.0001;
/** Slack relative to the norm of the row (2^-22): each component of the residual is a rounded difference. */
const RESIDUAL_NORM_SLACK: f64 = 2.384185791015625e-7;

let largest: f32 = 0;
let normSquared: f32 = 0;
let codeSum: i32 = 0;
let residualSquared: f32 = 0;

@inline
export function strideOf(dim: i32): i32 {
  return (dim + CODE_ALIGN_BYTES - 1) & -CODE_ALIGN_BYTES;
}

@inline
export function metaOffsetOf(stride: i32): i32 {
  return (FRAME_BYTES / (stride + META_BYTES)) * stride;
}

/** True when codes can describe a vector whose largest absolute component is this. */
@inline
export function isCodable(magnitude: f32): bool {
  return magnitude >= <f32>MAGNITUDE_CODED_MIN && magnitude <= <f32>MAGNITUDE_CODED_MAX;
}

/** Writes codes and metadata, except for the row number, of the float row at `source` as row `row` of `frame`. */
export function encodeRow(source: usize, dim: i32, frame: usize, row: i32): void {
  const stride = strideOf(dim);
  measure(source, dim);
  const codable = isCodable(largest);
  const scale: f32 = codable ? largest / <f32>CODE_MAX : 0;
  writeCodes(source, dim, frame + <usize>(row * stride), codable ? <f32>CODE_MAX / largest : 0, scale);
  const meta = frame + <usize>(metaOffsetOf(stride) + row * META_BYTES);
  store<f32>(meta, scale, META_SCALE);
  store<i32>(meta, codeSum, META_CODE_SUM);
  store<f32>(meta, normSquared, META_NORM_SQUARED);
  store<f32>(meta, residualNorm(codable), META_RESIDUAL_NORM);
}

/** Upper bound of |x - scale * codes|; infinite, for "always rescore", for rows that codes cannot describe. */
function residualNorm(codable: bool): f32 {
  if (largest == 0) return 0;
  if (!codable) return Infinity;
  const computed = Math.sqrt(<f64>residualSquared) * RESIDUAL_RELATIVE_SLACK;
  return <f32>(computed + Math.sqrt(<f64>normSquared) * RESIDUAL_NORM_SLACK);
}

function measure(source: usize, dim: i32): void {
  let most = f32x4.splat(0);
  let s0 = most, s1 = most, s2 = most, s3 = most;
  let at = 0;
  for (const whole = dim & -16; at < whole; at += 16, source += 64) {
    const a = v128.load(source), b = v128.load(source, 16), c = v128.load(source, 32), d = v128.load(source, 48);
    most = f32x4.pmax(most, f32x4.pmax(f32x4.pmax(f32x4.abs(a), f32x4.abs(b)), f32x4.pmax(f32x4.abs(c), f32x4.abs(d))));
    s0 = f32x4.add(s0, f32x4.mul(a, a));
    s1 = f32x4.add(s1, f32x4.mul(b, b));
    s2 = f32x4.add(s2, f32x4.mul(c, c));
    s3 = f32x4.add(s3, f32x4.mul(d, d));
  }
  for (; at < dim; at += 4, source += 16) {
    const a = loadUpTo4(source, dim - at);
    most = f32x4.pmax(most, f32x4.abs(a));
    s0 = f32x4.add(s0, f32x4.mul(a, a));
  }
  largest = maxF32(most);
  normSquared = sumF32(f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)));
}

function writeCodes(source: usize, dim: i32, codes: usize, inverse: f32, scale: f32): void {
  const inverses = f32x4.splat(inverse), scales = f32x4.splat(scale);
  let sums = i32x4.splat(0), squares = f32x4.splat(0);
  for (let at = 0; at < dim; at += 16, source += 64, codes += 16) {
    const rest = dim - at;
    let a: v128, b: v128, c: v128, d: v128;
    if (rest >= 16) {
      a = v128.load(source), b = v128.load(source, 16), c = v128.load(source, 32), d = v128.load(source, 48);
    } else {
      a = loadUpTo4(source, rest), b = loadUpTo4(source + 16, rest - 4);
      c = loadUpTo4(source + 32, rest - 8), d = loadUpTo4(source + 48, rest - 12);
    }
    const ar = biased(a, inverses), br = biased(b, inverses), cr = biased(c, inverses), dr = biased(d, inverses);
    squares = f32x4.add(squares, f32x4.add(
      f32x4.add(squaredResidual(a, ar, scales), squaredResidual(b, br, scales)),
      f32x4.add(squaredResidual(c, cr, scales), squaredResidual(d, dr, scales)),
    ));
    const ai = unbiased(ar), bi = unbiased(br), ci = unbiased(cr), di = unbiased(dr);
    sums = i32x4.add(sums, i32x4.add(i32x4.add(ai, bi), i32x4.add(ci, di)));
    v128.store(codes, i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(ai, bi), i16x8.narrow_i32x4_s(ci, di)));
  }
  codeSum = sumI32(sums);
  residualSquared = sumF32(squares);
}

@inline
function biased(values: v128, inverses: v128): v128 {
  return f32x4.add(f32x4.mul(values, inverses), f32x4.splat(ROUNDER));
}

@inline
function unbiased(rounded: v128): v128 {
  return i32x4.sub(rounded, i32x4.splat(ROUNDER_BITS));
}

@inline
function squaredResidual(values: v128, rounded: v128, scales: v128): v128 {
  const left = f32x4.sub(values, f32x4.mul(f32x4.sub(rounded, f32x4.splat(ROUNDER)), scales));
  return f32x4.mul(left, left);
}
