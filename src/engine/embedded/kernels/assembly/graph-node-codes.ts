// Binary codes in the nodes of a graph, by which a search estimates distances without reading rows: one sign bit per
// component relative to a center, and two factors, as in RaBitQ (Gao and Long, SIGMOD 2024) without its rotation. The
// query keeps QUERY_PLANES bits a component, so that its own rounding does not count.
import {
  CODE_MAX,
  GRAPH_CENTER,
  GRAPH_CENTER_ROWS_MAX,
  METRIC_COSINE,
  METRIC_DOT_PRODUCT,
  NODE_CODE_BITS,
  NODE_CODE_FACTOR,
  NODE_CODE_NORM_SQUARED,
  QUERY_PLANES,
  SEARCH_PLANES,
} from '../constants';
import { isCodable } from './encode-row';
import { scratch } from './graph-beam-search';
import { firstFloats, lastFloats, rounded } from './graph-binary-codes';
import { describeRow, query, rowCodes, rowScale } from './graph-distance';
import { graph, metric, nodeAddress, nodeCodeBytes, nodeCodeOffset, openGraph, stride } from './graph-state';
import { maxF32, sumF32 } from './lanes';
import { NODE_CODE_DEVIATIONS } from './search-tuning';
import { QUERY_FLOATS, QUERY_INVERSE_NORM } from './query';

/** Bytes of the planes that belong to 128 components. */
const BLOCK_BYTES: usize = 16 * QUERY_PLANES;
const PLANE_CODE_MAX: f32 = <f32>((1 << QUERY_PLANES) - 1);

/** True while searches estimate, which only those of a query do. */
let isEstimating: bool = false;
/** Of the query relative to the center: what a plane's lowest bit is worth, its least component, and their sum. */
let planeStep: f32 = 0;
let planeLeast: f32 = 0;
let componentSum: f32 = 0;
/** A distance is base + perNorm * squared norm of the node's row from the center - perProduct * estimated product. */
let base: f32 = 0;
let perNorm: f32 = 0;
let perProduct: f32 = 0;
/** What a distance may be off by for each unit of a code's own error. */
let errorPerUnit: f32 = 0;
/** The share of the squared norm that one component of a row has, if all are alike. */
let componentShare: f32 = 0;

/** 16 components, as four vectors of floats. */
let c0 = i32x4(0, 0, 0, 0), c1 = i32x4(0, 0, 0, 0), c2 = i32x4(0, 0, 0, 0), c3 = i32x4(0, 0, 0, 0);

/** Writes the center of the codes of the graph at `target`: the mean of evenly spaced rows below `limit`. */
export function centerGraph(target: usize, limit: u32): void {
  openGraph(target);
  const center = load<usize>(graph, GRAPH_CENTER), rows = min<u32>(limit, GRAPH_CENTER_ROWS_MAX);
  let largest: f32 = 0;
  for (let at: usize = 0; at < stride; at += 16) {
    addComponents(at, rows, limit);
    largest = max(largest, maxF32(f32x4.max(f32x4.max(f32x4.abs(c0), f32x4.abs(c1)), f32x4.max(f32x4.abs(c2), f32x4.abs(c3)))));
  }
  store<f32>(center + stride, largest / <f32>CODE_MAX);
  const factors = f32x4.splat(isCodable(largest) ? <f32>CODE_MAX / largest : 0);
  for (let at: usize = 0; at < stride; at += 16) {
    addComponents(at, rows, limit);
    const low = i16x8.narrow_i32x4_s(rounded(c0, factors), rounded(c1, factors));
    v128.store(center + at, i8x16.narrow_i16x8_s(low, i16x8.narrow_i32x4_s(rounded(c2, factors), rounded(c3, factors))));
  }
}

/** Computes 16 components, from `at` on, of the mean of `rows` rows. */
function addComponents(at: usize, rows: u32, limit: u32): void {
  c0 = f32x4.splat(0), c1 = c0, c2 = c0, c3 = c0;
  for (let row: u32 = 0; row < rows; row++) {
    describeRow(<u32>((<u64>row * <u64>limit) / rows));
    addCodes(rowCodes + at, rowScale / <f32>rows);
  }
}

/** Adds 16 codes times `scale` to the components. */
@inline
function addCodes(codes: usize, scale: f32): void {
  const row = v128.load(codes), scales = f32x4.splat(scale);
  const low = i16x8.extend_low_i8x16_s(row), high = i16x8.extend_high_i8x16_s(row);
  c0 = f32x4.add(c0, f32x4.mul(firstFloats(low), scales));
  c1 = f32x4.add(c1, f32x4.mul(lastFloats(low), scales));
  c2 = f32x4.add(c2, f32x4.mul(firstFloats(high), scales));
  c3 = f32x4.add(c3, f32x4.mul(lastFloats(high), scales));
}

/** Subtracts 16 components of the center. */
@inline
function subtractCenter(center: usize, at: usize): void {
  addCodes(center + at, -load<f32>(center + stride));
}

/** Writes the binary code of a row of the open graph to its node, before the node is published. */
export function writeNodeCode(slot: u32): void {
  describeRow(slot);
  const center = load<usize>(graph, GRAPH_CENTER), code = nodeAddress(slot) + nodeCodeOffset;
  let squares = f32x4.splat(0), magnitudes = squares;
  for (let at: usize = 0; at < stride; at += 16) {
    c0 = f32x4.splat(0), c1 = c0, c2 = c0, c3 = c0;
    addCodes(rowCodes + at, rowScale);
    subtractCenter(center, at);
    squares = f32x4.add(squares, sumOfSquares());
    magnitudes = f32x4.add(magnitudes, f32x4.add(
      f32x4.add(f32x4.abs(c0), f32x4.abs(c1)),
      f32x4.add(f32x4.abs(c2), f32x4.abs(c3)),
    ));
    // Narrowing preserves signs.
    const signs = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(c0, c1), i16x8.narrow_i32x4_s(c2, c3));
    store<u16>(code + (at >>> 3), <u16>i8x16.bitmask(signs), NODE_CODE_BITS);
  }
  const norm = sumF32(squares), magnitude = sumF32(magnitudes);
  store<f32>(code, magnitude > 0 ? norm / magnitude : 0, NODE_CODE_FACTOR);
  store<f32>(code, norm, NODE_CODE_NORM_SQUARED);
}

@inline
function sumOfSquares(): v128 {
  return f32x4.add(
    f32x4.add(f32x4.mul(c0, c0), f32x4.mul(c1, c1)),
    f32x4.add(f32x4.mul(c2, c2), f32x4.mul(c3, c3)),
  );
}

/** Lets searches measure rows, whatever the nodes have. */
export function measureByRows(): void {
  isEstimating = false;
}

/** True when distances from the query are estimated by the nodes of the open graph. */
@inline
export function isByNodeCodes(): bool {
  return isEstimating && nodeCodeBytes != 0;
}

/** Lets distances from the query be estimated by the codes of the open graph's nodes, if it has them. */
export function measureByNodeCodes(): void {
  isEstimating = nodeCodeBytes != 0;
  if (!isEstimating) return;
  const center = load<usize>(graph, GRAPH_CENTER);
  let least = f32x4.splat(Infinity), most = f32x4.splat(-Infinity);
  let sums = f32x4.splat(0), squares = sums, products = sums;
  for (let at: usize = 0; at < stride; at += 16) {
    loadQuery(center, at);
    least = f32x4.min(least, f32x4.min(f32x4.min(c0, c1), f32x4.min(c2, c3)));
    most = f32x4.max(most, f32x4.max(f32x4.max(c0, c1), f32x4.max(c2, c3)));
    sums = f32x4.add(sums, f32x4.add(f32x4.add(c0, c1), f32x4.add(c2, c3)));
    squares = f32x4.add(squares, sumOfSquares());
    if (metric == METRIC_DOT_PRODUCT) products = f32x4.add(products, productsWithCenter(center, at));
  }
  planeLeast = -maxF32(f32x4.neg(least));
  planeStep = (maxF32(most) - planeLeast) / PLANE_CODE_MAX;
  componentSum = sumF32(sums);
  writePlanes(center, planeStep > 0 ? <f32>1 / planeStep : 0);
  const isCosine = metric == METRIC_COSINE, isDotProduct = metric == METRIC_DOT_PRODUCT;
  const squared = sumF32(squares);
  base = isCosine ? squared * 0.5 - 1 : isDotProduct ? -sumF32(products) : squared;
  perNorm = isCosine ? 0.5 : isDotProduct ? 0 : 1;
  perProduct = isCosine || isDotProduct ? 1 : 2;
  errorPerUnit = NODE_CODE_DEVIATIONS * perProduct * sqrt<f32>(squared);
  componentShare = <f32>1 / <f32>stride;
}

/**
 * How much nearer than estimated a node of the open graph may well be: some standard deviations of the estimate, from what
 * of its row's direction the signs do not hold.
 */
export function estimateErrorOf(slot: u32): f32 {
  const code = nodeAddress(slot) + nodeCodeOffset, factor = load<f32>(code, NODE_CODE_FACTOR);
  const missed = factor * factor - load<f32>(code, NODE_CODE_NORM_SQUARED) * componentShare;
  return errorPerUnit * sqrt<f32>(max<f32>(0, missed));
}

/** Loads 16 components of the query, relative to the center except by dot product. */
@inline
function loadQuery(center: usize, at: usize): void {
  const from = load<usize>(query, QUERY_FLOATS) + (at << 2), inverse = load<f32>(query, QUERY_INVERSE_NORM);
  const factors = f32x4.splat(metric != METRIC_COSINE ? 1 : inverse < Infinity ? inverse : 0);
  c0 = f32x4.mul(v128.load(from), factors);
  c1 = f32x4.mul(v128.load(from, 16), factors);
  c2 = f32x4.mul(v128.load(from, 32), factors);
  c3 = f32x4.mul(v128.load(from, 48), factors);
  if (metric != METRIC_DOT_PRODUCT) subtractCenter(center, at);
}

@inline
function productsWithCenter(center: usize, at: usize): v128 {
  const q0 = c0, q1 = c1, q2 = c2, q3 = c3;
  c0 = f32x4.splat(0), c1 = c0, c2 = c0, c3 = c0;
  addCodes(center + at, load<f32>(center + stride));
  return f32x4.add(
    f32x4.add(f32x4.mul(c0, q0), f32x4.mul(c1, q1)),
    f32x4.add(f32x4.mul(c2, q2), f32x4.mul(c3, q3)),
  );
}

/** Writes the query's components as unsigned integers, bit by bit: a bit of 128 components after the other. */
function writePlanes(center: usize, inverse: f32): void {
  const least = f32x4.splat(planeLeast), factors = f32x4.splat(inverse);
  const end = nodeCodeBytes << 3;
  for (let at: usize = 0; at < end; at += 16) {
    const to = scratch + SEARCH_PLANES + (at >>> 7) * BLOCK_BYTES + ((at & 127) >>> 3);
    // What a code has beyond the components is 0.
    let codes = i8x16.splat(0);
    if (at < stride) {
      loadQuery(center, at);
      const low = i16x8.narrow_i32x4_s(rounded(f32x4.sub(c0, least), factors), rounded(f32x4.sub(c1, least), factors));
      const high = i16x8.narrow_i32x4_s(rounded(f32x4.sub(c2, least), factors), rounded(f32x4.sub(c3, least), factors));
      codes = i8x16.narrow_i16x8_u(low, high);
    }
    for (let plane = 0; plane < QUERY_PLANES; plane++) {
      // The bit becomes the sign of its byte.
      store<u16>(to + (<usize>plane << 4), <u16>i8x16.bitmask(i8x16.shl(codes, 7 - plane)));
    }
  }
}

/**
 * Writes estimated distances of `count` slots u32 at `slots` as f32 to `distances`, as `measureRows` does; `addresses`
 * has room for as many u32.
 */
export function estimateNodes(slots: usize, count: i32, distances: usize, addresses: usize): void {
  // All nodes are on their way before the first is needed.
  for (let at: usize = 0; at < <usize>count << 2; at += 4) {
    const code = nodeAddress(load<u32>(slots + at)) + nodeCodeOffset;
    store<u32>(addresses + at, <u32>code);
    for (let line: usize = 0; line < nodeCodeBytes; line += 64) load<u8>(code + line);
    load<u8>(code + NODE_CODE_BITS + nodeCodeBytes - 1);
  }
  for (let at: usize = 0; at < <usize>count << 2; at += 4) {
    store<f32>(distances + at, estimateNode(<usize>load<u32>(addresses + at)));
  }
  // Readers take four at a time.
  v128.store(distances + (<usize>count << 2), f32x4.splat(Infinity));
}

@inline
function sharedBits(low: u64, high: u64, plane: usize): i64 {
  return popcnt<u64>(low & load<u64>(plane)) + popcnt<u64>(high & load<u64>(plane, 8));
}

/** The sum of the components where the code's bits are set, which are those of the negative ones, gives the product. */
@inline
function estimateNode(code: usize): f32 {
  let planes = scratch + SEARCH_PLANES, set: i64 = 0, sum: i64 = 0;
  const bits = code + NODE_CODE_BITS;
  for (let at = bits, end = bits + nodeCodeBytes; at < end; at += 16, planes += BLOCK_BYTES) {
    const low = load<u64>(at), high = load<u64>(at, 8);
    set += popcnt<u64>(low) + popcnt<u64>(high);
    sum += sharedBits(low, high, planes) + (sharedBits(low, high, planes + 16) << 1) +
      (sharedBits(low, high, planes + 32) << 2) + (sharedBits(low, high, planes + 48) << 3) +
      (sharedBits(low, high, planes + 64) << 4) + (sharedBits(low, high, planes + 80) << 5);
  }
  const negative = planeLeast * <f32>set + planeStep * <f32>sum;
  const product = (componentSum - negative - negative) * load<f32>(code, NODE_CODE_FACTOR);
  return base + perNorm * load<f32>(code, NODE_CODE_NORM_SQUARED) - perProduct * product;
}
