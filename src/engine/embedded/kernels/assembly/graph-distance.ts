// Distances from a target, a query's block or a row of the graph, to many rows, four at a time.
import {
  META_CODE_SUM,
  META_NORM_SQUARED,
  META_SCALE,
  METRIC_COSINE,
  METRIC_DOT_PRODUCT,
  METRIC_EUCLIDEAN,
  NODE_CODE_SQUARES,
  QUERY_HEADER_BYTES,
} from '../constants';
import { addBytes, addProducts, codeDotsOfFour, isByteExact, probeByteProducts } from './code-dots';
import { metric, nodeAddress, rowAddresses, stride } from './graph-state';
import { sumI32, sumLanesOf4 } from './lanes';
import { QUERY_INVERSE_NORM, QUERY_NORM_SQUARED, QUERY_SCALE, shiftOf } from './query';

/**
 * Bytes of codes to prefetch at a time: the first rows must still be in the processor's cache when they are measured.
 */
const AHEAD_BYTES_MAX: i32 = 131072;

/** A row in the space in which the graph is built: squared distance = norms - 2 * scales * dot product of codes. */
export let rowCodes: usize = 0;
export let rowScale: f32 = 0;
/** Squared norm of the floats, which searches use. */
let rowNorm: f32 = 0;
/** Sum of the codes. */
export let rowCodeSum: i32 = 0;
/** Squared norm of the codes, by which equal rows are at distance 0; pruning uses it. */
export let rowCodedNorm: f32 = 0;

/** Address of the query's block, or 0 when the target is a row. */
export let query: usize = 0;
export let targetCodes: usize = 0;
export let targetScale: f32 = 0;
let targetNorm: f32 = 0;
let targetCodedNorm: f32 = 0;
/** True while distances from the query use only the upper half of its codes' bits. */
let isRough: bool = false;

/** Loads what `prune` needs of a row, and `rowNorm`. */
export function describeRow(slot: u32): void {
  const address = rowAddresses(slot), meta = <usize>(address >> 32);
  const norm = load<f32>(meta, META_NORM_SQUARED), scale = load<f32>(meta, META_SCALE);
  const isCosine = metric == METRIC_COSINE;
  rowCodes = <usize>(address & 0xffffffff);
  rowCodeSum = load<i32>(meta, META_CODE_SUM);
  rowScale = isCosine ? (norm > 0 ? scale / sqrt<f32>(norm) : 0) : scale;
  rowNorm = isCosine ? (norm > 0 ? 1 : 0) : norm;
  rowCodedNorm = rowScale * rowScale * <f32>load<i32>(nodeAddress(slot), NODE_CODE_SQUARES);
}

/** The squared norm of a slot's row, by its floats. */
@inline
export function normSquaredOf(slot: u32): f32 {
  return load<f32>(<usize>(rowAddresses(slot) >> 32), META_NORM_SQUARED);
}

/** The squared distance by codes of the described row, from the distance by floats that a search has computed. */
@inline
export function codedDistance(distance: f32): f32 {
  if (metric == METRIC_DOT_PRODUCT) return distance + distance + rowCodedNorm + targetCodedNorm;
  return distance - rowNorm + rowCodedNorm - targetNorm + targetCodedNorm;
}

/** Makes a row the target. */
export function targetRow(slot: u32): void {
  probeByteProducts();
  describeRow(slot);
  query = 0;
  targetCodes = rowCodes;
  targetScale = rowScale;
  targetNorm = rowNorm;
  targetCodedNorm = rowCodedNorm;
}

export function targetQuery(block: usize): void {
  query = block;
  targetCodes = block + QUERY_HEADER_BYTES;
  targetScale = load<f32>(block, QUERY_SCALE);
  targetNorm = <f32>load<f64>(block, QUERY_NORM_SQUARED);
  if (metric == METRIC_COSINE) targetScale *= load<f32>(block, QUERY_INVERSE_NORM);
  isRough = false;
}

/** Makes distances from the query rough (see `roughDotsOfFour`) or exact, until the next query becomes the target. */
export function measureRoughly(roughly: bool): void {
  isRough = roughly;
}

/** The dot product of a row's codes with themselves. */
export function codeSquares(codes: usize): i32 {
  let sum = i32x4.splat(0);
  for (const end = codes + stride; codes < end; codes += 16) {
    const low = v128.load_ext<i8>(codes), high = v128.load_ext<i8>(codes, 8);
    sum = i32x4.add(sum, i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)));
  }
  return sumI32(sum);
}

/**
 * Writes the distances of `count` slots u32 at `slots` as f32 to `distances`, nearest lowest: to a query, minus the
 * product, minus the cosine, or the squared distance. Both arrays have capacity for MAX_DEGREE_BOUND + 4, as has the
 * array of u64 at `addresses`.
 */
export function measureRows(slots: usize, count: i32, distances: usize, addresses: usize): void {
  if (count == 0) return;
  for (let at = 0; at < count; at++) {
    store<u64>(addresses + (<usize>at << 3), rowAddresses(load<u32>(slots + (<usize>at << 2))));
  }
  const last = load<u64>(addresses + (<usize>(count - 1) << 3));
  const end = (count + 3) & -4;
  for (let at = count; at < end; at++) store<u64>(addresses + (<usize>at << 3), last);
  // With byte products, the processor reaches the next rows early enough by itself
  // (docs/decisions/018-graph-construction.md).
  const isAhead = query != 0 || !isByteExact, most = max(4, (AHEAD_BYTES_MAX / <i32>stride) & -4);
  for (let from = 0; from < count; from += most) {
    const until = min(end, from + most);
    if (isAhead) touchRows(addresses + (<usize>from << 3), min(count, until) - from);
    for (let at = from; at < until; at += 4) {
      const rows = addresses + (<usize>at << 3);
      v128.store(distances + (<usize>at << 2), query != 0 ? fourToQuery(rows) : fourToRow(rows));
    }
  }
}

/**
 * As `measureRows`, for `count` consecutive slots from `first` on that are in the processor's cache. To a query, rough
 * where codes come in two planes.
 */
export function measureRun(first: u32, count: i32, distances: usize, addresses: usize): void {
  for (let at = 0; at < ((count + 3) & -4); at++) {
    store<u64>(addresses + (<usize>at << 3), rowAddresses(first + <u32>min(at, count - 1)));
  }
  for (let at = 0; at < count; at += 4) {
    const rows = addresses + (<usize>at << 3);
    v128.store(distances + (<usize>at << 2), query != 0 ? roughlyToQuery(rows) : fourToRow(rows));
  }
}

/**
 * Reads a byte of every cache line of all rows before the first is measured. Products between these reads would leave
 * fewer of them in flight, and random reads are what a search costs (docs/decisions/017-graph-search.md).
 */
@inline
function touchRows(addresses: usize, count: i32): void {
  for (const end = addresses + (<usize>count << 3); addresses < end; addresses += 8) {
    load<u8>(<usize>load<u32>(addresses, 4));
    let line = <usize>load<u32>(addresses);
    const codesEnd = line + stride;
    // Four lines per iteration, because the loop costs time, too.
    for (; line + 256 <= codesEnd; line += 256) {
      load<u8>(line);
      load<u8>(line, 64);
      load<u8>(line, 128);
      load<u8>(line, 192);
    }
    for (; line < codesEnd; line += 64) load<u8>(line);
  }
}

@inline
function gatherMeta(rows: usize, offset: usize): v128 {
  let lanes = v128.load_zero<f32>(<usize>load<u32>(rows, 4) + offset);
  lanes = v128.load_lane<f32>(<usize>load<u32>(rows, 12) + offset, lanes, 1);
  lanes = v128.load_lane<f32>(<usize>load<u32>(rows, 20) + offset, lanes, 2);
  return v128.load_lane<f32>(<usize>load<u32>(rows, 28) + offset, lanes, 3);
}

@inline
function fourToQuery(rows: usize): v128 {
  return isRough ? roughlyToQuery(rows) : toQuery(rows, queryDotsOfFour(rows));
}

@inline
function roughlyToQuery(rows: usize): v128 {
  return toQuery(rows, roughDotsOfFour(rows));
}

/** Distances of four rows from the query, given the dot products of the codes. */
@inline
function toQuery(rows: usize, products: v128): v128 {
  const scales = gatherMeta(rows, META_SCALE);
  if (ASC_FEATURE_RELAXED_SIMD) products = i32x4.sub(products, shiftOf(gatherMeta(rows, META_CODE_SUM)));
  const dots = f32x4.mul(f32x4.convert_i32x4_s(products), f32x4.mul(scales, f32x4.splat(targetScale)));
  if (metric == METRIC_DOT_PRODUCT) return f32x4.neg(dots);
  const norms = gatherMeta(rows, META_NORM_SQUARED);
  if (metric == METRIC_EUCLIDEAN) {
    return orInfinity(f32x4.sub(f32x4.add(norms, f32x4.splat(targetNorm)), f32x4.add(dots, dots)));
  }
  const cosines = f32x4.div(dots, f32x4.sqrt(norms));
  // A zero vector has cosine 0.
  return f32x4.neg(v128.and(cosines, f32x4.eq(cosines, cosines)));
}

@inline
function fourToRow(rows: usize): v128 {
  const products = f32x4.convert_i32x4_s(codeDotsOfFour(
    targetCodes,
    <usize>load<u32>(rows),
    <usize>load<u32>(rows, 8),
    <usize>load<u32>(rows, 16),
    <usize>load<u32>(rows, 24),
    ASC_FEATURE_RELAXED_SIMD ? gatherMeta(rows, META_CODE_SUM) : i32x4.splat(0),
  ));
  let scales = f32x4.mul(gatherMeta(rows, META_SCALE), f32x4.splat(targetScale));
  if (metric == METRIC_DOT_PRODUCT) return f32x4.neg(f32x4.mul(products, scales));
  let norms = gatherMeta(rows, META_NORM_SQUARED);
  if (metric == METRIC_COSINE) {
    const positive = f32x4.gt(norms, f32x4.splat(0));
    scales = v128.and(f32x4.div(scales, f32x4.sqrt(norms)), positive);
    norms = v128.and(f32x4.splat(1), positive);
  }
  const dots = f32x4.mul(products, scales);
  return orInfinity(f32x4.sub(f32x4.add(norms, f32x4.splat(targetNorm)), f32x4.add(dots, dots)));
}

@inline
function orInfinity(distances: v128): v128 {
  return f32x4.pmin(f32x4.splat(Infinity), distances);
}

@inline
function queryDotsOfFour(rows: usize): v128 {
  let p0 = <usize>load<u32>(rows), p1 = <usize>load<u32>(rows, 8);
  let p2 = <usize>load<u32>(rows, 16), p3 = <usize>load<u32>(rows, 24);
  let codes = targetCodes;
  let a0 = i32x4.splat(0), a1 = a0, a2 = a0, a3 = a0;
  let b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  for (const end = codes + 2 * stride; codes < end; codes += 32) {
    const c0 = v128.load(codes), c1 = v128.load(codes, 16);
    if (ASC_FEATURE_RELAXED_SIMD) {
      const x0 = v128.load(p0), x1 = v128.load(p1), x2 = v128.load(p2), x3 = v128.load(p3);
      a0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x0, c0, a0);
      b0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x0, c1, b0);
      a1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x1, c0, a1);
      b1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x1, c1, b1);
      a2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x2, c0, a2);
      b2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x2, c1, b2);
      a3 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x3, c0, a3);
      b3 = i32x4.relaxed_dot_i8x16_i7x16_add_s(x3, c1, b3);
    } else {
      a0 = addProducts(p0, c0, c1, a0);
      a1 = addProducts(p1, c0, c1, a1);
      a2 = addProducts(p2, c0, c1, a2);
      a3 = addProducts(p3, c0, c1, a3);
    }
    p0 += 16, p1 += 16, p2 += 16, p3 += 16;
  }
  const sums = sumLanesOf4(a0, a1, a2, a3);
  if (!ASC_FEATURE_RELAXED_SIMD) return sums;
  return i32x4.add(i32x4.shl(sums, 7), sumLanesOf4(b0, b1, b2, b3));
}

/** The same with only the upper plane of the query's codes, and the midpoint of the lower plane. */
@inline
function roughDotsOfFour(rows: usize): v128 {
  if (!ASC_FEATURE_RELAXED_SIMD) return queryDotsOfFour(rows);
  const p0 = <usize>load<u32>(rows), p1 = <usize>load<u32>(rows, 8);
  const p2 = <usize>load<u32>(rows, 16), p3 = <usize>load<u32>(rows, 24);
  let codes = targetCodes;
  let a0 = i32x4.splat(0), a1 = a0, a2 = a0, a3 = a0;
  let b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  let at: usize = 0;
  // Two sums per row, so that they are independent.
  for (const pairsEnd = stride & -32; at < pairsEnd; at += 32, codes += 64) {
    const c0 = v128.load(codes), c1 = v128.load(codes, 32);
    a0 = addBytes(p0 + at, c0, a0);
    a1 = addBytes(p1 + at, c0, a1);
    a2 = addBytes(p2 + at, c0, a2);
    a3 = addBytes(p3 + at, c0, a3);
    b0 = addBytes(p0 + at + 16, c1, b0);
    b1 = addBytes(p1 + at + 16, c1, b1);
    b2 = addBytes(p2 + at + 16, c1, b2);
    b3 = addBytes(p3 + at + 16, c1, b3);
  }
  if (at < stride) {
    const c0 = v128.load(codes);
    a0 = addBytes(p0 + at, c0, a0);
    a1 = addBytes(p1 + at, c0, a1);
    a2 = addBytes(p2 + at, c0, a2);
    a3 = addBytes(p3 + at, c0, a3);
  }
  const sums = sumLanesOf4(i32x4.add(a0, b0), i32x4.add(a1, b1), i32x4.add(a2, b2), i32x4.add(a3, b3));
  const middle = i32x4.shl(gatherMeta(rows, META_CODE_SUM), 6);
  return i32x4.add(i32x4.shl(sums, 7), middle);
}
