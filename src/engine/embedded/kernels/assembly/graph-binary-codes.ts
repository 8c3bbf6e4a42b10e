// Binary codes of rows: one sign bit per component, relative to the mean of the centroids, as RaBitQ (Gao and Long,
// SIGMOD 2024) has without its rotation. The share of bits in which two codes differ estimates the angle between the
// rows (Charikar, STOC 2002), from much less memory.
import {
  CODE_MAX,
  FRAME_BYTES,
  GRAPH_COUNT,
  GRAPH_NODE_BYTES,
  META_SCALE,
  METRIC_COSINE,
  METRIC_DOT_PRODUCT,
  CLUSTER_CODE_BITS,
  SAMPLE_SHIFT,
  BINARY_CODE_ALIGN_BYTES,
  BINARY_CODE_NORM_BYTES,
  SEARCH_BINARY_CODE,
} from '../constants';
import { describeRow, query, rowCodes, rowScale, targetCodes, targetScale } from './graph-distance';
import { bitBytesOf, graph, isPresent, metric, nodeAddress, openGraph, clusters, rowAddresses, stride } from './graph-state';
import { QUERY_FLOATS, QUERY_INVERSE_NORM } from './query';
import { isCodable } from './encode-row';
import { maxF32, sumF32 } from './lanes';
import { batchDistances, batchSlots, scratch } from './graph-beam-search';

/** Bytes of a binary code: its bits, then the norm f32 of the row relative to the mean. */
@inline
export function binaryCodeBytesOf(bits: u32): u32 {
  return (bitBytesOf(bits) + BINARY_CODE_NORM_BYTES + BINARY_CODE_ALIGN_BYTES - 1) & -BINARY_CODE_ALIGN_BYTES;
}

/** A multiple of four, because four codes are compared at a time. */
@inline
export function binaryCodesPerFrame(bytes: u32): u32 {
  return (FRAME_BYTES / bytes) & -4;
}

/** True when the clusters with this header, or of the graph with this header's copy, have binary codes. */
@inline
export function hasBinaryCodes(header: usize): bool {
  return load<u32>(header, CLUSTER_CODE_BITS) != 0;
}

/**
 * Writes the mean of the centroids of the clusters at `target` as the row behind them, then the centroids' binary
 * codes.
 */
export function binarizeCentroids(target: usize): void {
  if (!hasBinaryCodes(target)) return;
  openGraph(target);
  const count = load<u32>(graph, GRAPH_COUNT);
  writeMeanCentroid(count);
  for (let cluster: u32 = 0; cluster < count; cluster++) binarizeRow(cluster, target, cluster);
}

/** Writes the mean of the open clusters' centroids as the row behind them: its codes and their scale. */
function writeMeanCentroid(count: u32): void {
  const row = rowAddresses(count);
  let largest: f32 = 0;
  for (let at: usize = 0; at < stride; at += 16) largest = max(largest, writeMeanComponents(at, count, 0, 0));
  store<f32>(<usize>(row >> 32), largest / <f32>CODE_MAX, META_SCALE);
  const inverse: f32 = isCodable(largest) ? <f32>CODE_MAX / largest : 0;
  for (let at: usize = 0; at < stride; at += 16) writeMeanComponents(at, count, inverse, <usize>(row & 0xffffffff) + at);
}

/**
 * Computes 16 components, from `at` on, of the centroids' mean, and writes them times `factor` as codes to `to` unless
 * that is 0.
 * @returns the largest magnitude
 */
function writeMeanComponents(at: usize, count: u32, factor: f32, to: usize): f32 {
  let a = f32x4.splat(0), b = a, c = a, d = a;
  for (let cluster: u32 = 0; cluster < count; cluster++) {
    describeRow(cluster);
    const codes = v128.load(rowCodes + at), scales = f32x4.splat(rowScale / <f32>count);
    const low = i16x8.extend_low_i8x16_s(codes), high = i16x8.extend_high_i8x16_s(codes);
    a = f32x4.add(a, f32x4.mul(firstFloats(low), scales));
    b = f32x4.add(b, f32x4.mul(lastFloats(low), scales));
    c = f32x4.add(c, f32x4.mul(firstFloats(high), scales));
    d = f32x4.add(d, f32x4.mul(lastFloats(high), scales));
  }
  if (to != 0) {
    const factors = f32x4.splat(factor);
    const low = i16x8.narrow_i32x4_s(rounded(a, factors), rounded(b, factors));
    v128.store(to, i8x16.narrow_i16x8_s(low, i16x8.narrow_i32x4_s(rounded(c, factors), rounded(d, factors))));
  }
  return maxF32(f32x4.max(f32x4.max(f32x4.abs(a), f32x4.abs(b)), f32x4.max(f32x4.abs(c), f32x4.abs(d))));
}

@inline
export function rounded(values: v128, factors: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(values, factors)));
}

/**
 * Writes the binary codes of those samples from..until - 1 that are in the graph `owner` to the clusters at `target`.
 */
export function binarizeSamples(owner: usize, target: usize, from: u32, until: u32): void {
  if (!hasBinaryCodes(target)) return;
  for (let sample = from; sample < until; sample++) {
    openGraph(owner);
    const slot = sample << SAMPLE_SHIFT;
    if (isPresent(slot)) binarizeRow(slot, target, load<u32>(target, GRAPH_COUNT) + sample);
  }
}

/** Writes the binary code of a row of the open graph as number `row` of the clusters at `target`, and opens these. */
export function binarizeRow(slot: u32, target: usize, row: u32): void {
  describeRow(slot);
  openGraph(target);
  const to = nodeAddress(row), bytes = bitBytesOf(load<u32>(target, CLUSTER_CODE_BITS));
  store<f32>(to + bytes, binarize(rowCodes, 0, rowScale, to, true));
}

/** Of the target's binary code: the bytes of its bits, 2 / bits, and its norm. */
let targetCodeBytes: usize = 0;
let perBit: f32 = 0;
let targetNorm: f32 = 0;

/** Computes the target's binary code for the open clusters. By dot product, the target is not centered. */
export function binarizeTarget(): void {
  const to = scratch + SEARCH_BINARY_CODE, isCentered = metric != METRIC_DOT_PRODUCT;
  const bits = load<u32>(graph, CLUSTER_CODE_BITS);
  targetCodeBytes = <usize>bitBytesOf(bits), perBit = <f32>2 / <f32>bits;
  v128.store(to + targetCodeBytes - 16, i8x16.splat(0));
  if (query == 0) targetNorm = binarize(targetCodes, 0, targetScale, to, isCentered);
  else {
    const inverse = load<f32>(query, QUERY_INVERSE_NORM);
    const factor: f32 = metric != METRIC_COSINE ? 1 : inverse < Infinity ? inverse : 0;
    targetNorm = binarize(0, load<usize>(query, QUERY_FLOATS), factor, to, isCentered);
  }
}

/** Writes the sign bits of a row of codes, or of floats, times `factor`. @returns its norm */
function binarize(codes: usize, floats: usize, factor: f32, to: usize, isCentered: bool): f32 {
  const row = rowAddresses(load<u32>(graph, GRAPH_COUNT));
  const mean = <usize>(row & 0xffffffff);
  const factors = f32x4.splat(factor), meanScales = f32x4.splat(isCentered ? load<f32>(<usize>(row >> 32), META_SCALE) : 0);
  let squares = f32x4.splat(0);
  for (let at: usize = 0; at < stride; at += 16) {
    let a: v128, b: v128, c: v128, d: v128;
    if (floats != 0) {
      const from = floats + (at << 2);
      a = v128.load(from), b = v128.load(from, 16), c = v128.load(from, 32), d = v128.load(from, 48);
    } else {
      const row = v128.load(codes + at), low = i16x8.extend_low_i8x16_s(row), high = i16x8.extend_high_i8x16_s(row);
      a = firstFloats(low), b = lastFloats(low), c = firstFloats(high), d = lastFloats(high);
    }
    const m = v128.load(mean + at), low = i16x8.extend_low_i8x16_s(m), high = i16x8.extend_high_i8x16_s(m);
    a = f32x4.sub(f32x4.mul(a, factors), f32x4.mul(firstFloats(low), meanScales));
    b = f32x4.sub(f32x4.mul(b, factors), f32x4.mul(lastFloats(low), meanScales));
    c = f32x4.sub(f32x4.mul(c, factors), f32x4.mul(firstFloats(high), meanScales));
    d = f32x4.sub(f32x4.mul(d, factors), f32x4.mul(lastFloats(high), meanScales));
    squares = f32x4.add(squares, f32x4.add(
      f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)),
      f32x4.add(f32x4.mul(c, c), f32x4.mul(d, d)),
    ));
    // Narrowing preserves signs.
    const signs = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d));
    store<u16>(to + (at >>> 3), <u16>i8x16.bitmask(signs));
  }
  return sqrt<f32>(sumF32(squares));
}

@inline
export function firstFloats(lanes: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(lanes));
}

@inline
export function lastFloats(lanes: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(lanes));
}

/** Estimates the distances of the batch's samples from the target by binary codes. */
export function estimateBatch(count: i32): void {
  const outer = graph;
  openGraph(clusters);
  const first = load<u32>(graph, GRAPH_COUNT);
  store<u32>(batchSlots() + (<usize>count << 2), 0);
  store<u32>(batchSlots() + (<usize>count << 2), 0, 4);
  store<u32>(batchSlots() + (<usize>count << 2), 0, 8);
  const bytes = load<u32>(graph, GRAPH_NODE_BYTES);
  for (let at = 0; at < count; at++) {
    const binarize = nodeAddress(first + (load<u32>(batchSlots() + (<usize>at << 2)) >>> SAMPLE_SHIFT));
    for (let line: usize = 0; line < bytes; line += 64) load<u8>(binarize + line);
  }
  for (let at = 0; at < count; at += 4) {
    const slots = batchSlots() + (<usize>at << 2);
    const distances = estimateFour(
      nodeAddress(first + (load<u32>(slots) >>> SAMPLE_SHIFT)),
      nodeAddress(first + (load<u32>(slots, 4) >>> SAMPLE_SHIFT)),
      nodeAddress(first + (load<u32>(slots, 8) >>> SAMPLE_SHIFT)),
      nodeAddress(first + (load<u32>(slots, 12) >>> SAMPLE_SHIFT)),
    );
    v128.store(batchDistances() + (<usize>at << 2), distances);
  }
  openGraph(outer);
}

/**
 * Estimates the distances of all centroids of the open clusters by binary codes, as f32 at `to`, padded to a multiple
 * of four.
 */
export function estimateCentroids(to: usize): void {
  const count = load<u32>(graph, GRAPH_COUNT), each = <usize>load<u32>(graph, GRAPH_NODE_BYTES);
  for (let cluster: u32 = 0; cluster < count; cluster += 4) {
    // Frames hold multiples of four codes; those behind the last centroid belong to the first samples.
    const first = nodeAddress(cluster), second = first + each, third = second + each;
    v128.store(to + (<usize>cluster << 2), estimateFour(first, second, third, third + each));
  }
}

/** Minus twice the products, or the squared distances without the target's squared norm, which is the same for all. */
@inline
function estimateFour(p0: usize, p1: usize, p2: usize, p3: usize): v128 {
  const bytes = targetCodeBytes, differing = differencesOfFour(p0, p1, p2, p3, bytes);
  let norms = v128.load_zero<f32>(p0 + bytes);
  norms = v128.load_lane<f32>(p1 + bytes, norms, 1);
  norms = v128.load_lane<f32>(p2 + bytes, norms, 2);
  norms = v128.load_lane<f32>(p3 + bytes, norms, 3);
  // From 1 at an angle of 0 to -1 at 180 degrees. A cubic is close enough to the cosine.
  const turns = f32x4.sub(f32x4.splat(1), f32x4.mul(f32x4.convert_i32x4_s(differing), f32x4.splat(perBit)));
  const cosines = f32x4.mul(turns, f32x4.sub(f32x4.splat(3), f32x4.mul(turns, turns)));
  const products = f32x4.mul(cosines, f32x4.mul(norms, f32x4.splat(targetNorm)));
  return metric == METRIC_DOT_PRODUCT ? f32x4.neg(products) : f32x4.sub(f32x4.mul(norms, norms), products);
}

/** The number of bits in which four codes differ from the target's. */
@inline
function differencesOfFour(p0: usize, p1: usize, p2: usize, p3: usize, bytes: usize): v128 {
  let target = scratch + SEARCH_BINARY_CODE;
  let a: u64 = 0, b: u64 = 0, c: u64 = 0, d: u64 = 0;
  for (const end = target + bytes; target < end; target += 16) {
    const low = load<u64>(target), high = load<u64>(target, 8);
    a += popcnt<u64>(load<u64>(p0) ^ low) + popcnt<u64>(load<u64>(p0, 8) ^ high);
    b += popcnt<u64>(load<u64>(p1) ^ low) + popcnt<u64>(load<u64>(p1, 8) ^ high);
    c += popcnt<u64>(load<u64>(p2) ^ low) + popcnt<u64>(load<u64>(p2, 8) ^ high);
    d += popcnt<u64>(load<u64>(p3) ^ low) + popcnt<u64>(load<u64>(p3, 8) ^ high);
    p0 += 16, p1 += 16, p2 += 16, p3 += 16;
  }
  const low = i64x2.replace_lane(i64x2.splat(a), 1, b), high = i64x2.replace_lane(i64x2.splat(c), 1, d);
  return v128.shuffle<i32>(low, high, 0, 2, 4, 6);
}
