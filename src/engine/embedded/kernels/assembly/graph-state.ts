// The header of a proximity graph, and the addresses of rows and nodes. Each thread copies the header to its globals.
import {
  FRAME_BYTES,
  GRAPH_ALPHA,
  GRAPH_CODE_FRAMES,
  GRAPH_PRUNED_DEGREE,
  GRAPH_MAX_DEGREE,
  GRAPH_META_OFFSET,
  GRAPH_METRIC,
  GRAPH_NODES_INVERSE,
  GRAPH_NODES_PER_FRAME,
  GRAPH_NODE_CODE_BITS,
  GRAPH_NODE_BYTES,
  GRAPH_NODE_FRAMES,
  GRAPH_CLUSTERS,
  GRAPH_ROWS_INVERSE,
  GRAPH_ROWS_PER_FRAME,
  GRAPH_STRIDE,
  META_BYTES,
  METRIC_DOT_PRODUCT,
  METRIC_EUCLIDEAN,
  NODE_ALIGN_BYTES,
  NODE_CODE_BITS,
  NODE_HEADER_BYTES,
} from '../constants';
import { metaOffsetOf, strideOf } from './encode-row';

/** Flags of a node's state: its edges are being changed; it is in the graph. The other bits are its degree. */
export const NODE_LOCKED: u32 = 0x80000000;
export const NODE_PRESENT: u32 = 0x40000000;
export const DEGREE_MASK: u32 = 0xffff;
/** Flag of a protected edge: pruning spares it, because its end is reached from the entry points by it. */
export const EDGE_PROTECTED: u32 = 0x80000000;
export const EDGE_SLOT: u32 = 0x7fffffff;

export let graph: usize = 0;
export let metric: i32 = 0;
export let stride: usize = 0;
export let metaOffset: usize = 0;
export let maxDegree: i32 = 0;
export let prunedDegree: i32 = 0;
export let alpha: f32 = 0;
/** Header of its clusters, or 0. */
export let clusters: usize = 0;
/** Of the nodes' binary codes: bytes of their bits, 0 for none, and where in the node they begin. */
export let nodeCodeBytes: usize = 0;
export let nodeCodeOffset: usize = 0;
let codeFrames: usize = 0;
let nodeFrames: usize = 0;
let rowsPerFrame: u32 = 0;
let nodesPerFrame: u32 = 0;
let nodeBytes: u32 = 0;
let rowsInverse: u64 = 0;
let nodesInverse: u64 = 0;

/** Derives the rest of an empty graph's header from the fields that the caller has set, and the dimension of its rows. */
export function initGraph(target: usize, dim: i32): void {
  const rowStride = strideOf(dim);
  const rows = FRAME_BYTES / (rowStride + META_BYTES);
  const edgesEnd = NODE_HEADER_BYTES + 4 * load<i32>(target, GRAPH_MAX_DEGREE), bits = load<u32>(target, GRAPH_NODE_CODE_BITS);
  const codeBytes = bits == 0 ? 0 : NODE_CODE_BITS + <i32>bitBytesOf(bits);
  const bytes = (edgesEnd + codeBytes + NODE_ALIGN_BYTES - 1) & -NODE_ALIGN_BYTES;
  store<i32>(target, rowStride, GRAPH_STRIDE);
  store<i32>(target, rows, GRAPH_ROWS_PER_FRAME);
  store<i32>(target, metaOffsetOf(rowStride), GRAPH_META_OFFSET);
  store<u64>(target, inverseOf(rows), GRAPH_ROWS_INVERSE);
  shapeNodes(target, bytes, FRAME_BYTES / bytes);
}

/** Sets how many bytes a node takes, and how many nodes a frame holds. */
export function shapeNodes(target: usize, bytes: i32, nodes: i32): void {
  store<i32>(target, bytes, GRAPH_NODE_BYTES);
  store<i32>(target, nodes, GRAPH_NODES_PER_FRAME);
  store<u64>(target, inverseOf(nodes), GRAPH_NODES_INVERSE);
}

/** Exact for the nodes of 65,536 frames: (slot * inverse) >> 40 is slot / perFrame. */
@inline
function inverseOf(perFrame: i32): u64 {
  return ((<u64>1 << 40) + <u64>perFrame - 1) / <u64>perFrame;
}

/** Loads the header; every call into the graph starts with this. */
export function openGraph(target: usize): void {
  graph = target;
  metric = load<i32>(target, GRAPH_METRIC);
  stride = load<u32>(target, GRAPH_STRIDE);
  metaOffset = load<u32>(target, GRAPH_META_OFFSET);
  maxDegree = load<i32>(target, GRAPH_MAX_DEGREE);
  prunedDegree = load<i32>(target, GRAPH_PRUNED_DEGREE);
  alpha = load<f32>(target, GRAPH_ALPHA);
  codeFrames = load<usize>(target, GRAPH_CODE_FRAMES);
  nodeFrames = load<usize>(target, GRAPH_NODE_FRAMES);
  rowsPerFrame = load<u32>(target, GRAPH_ROWS_PER_FRAME);
  nodesPerFrame = load<u32>(target, GRAPH_NODES_PER_FRAME);
  nodeBytes = load<u32>(target, GRAPH_NODE_BYTES);
  rowsInverse = load<u64>(target, GRAPH_ROWS_INVERSE);
  nodesInverse = load<u64>(target, GRAPH_NODES_INVERSE);
  clusters = atomic.load<u32>(target, GRAPH_CLUSTERS);
  nodeCodeBytes = bitBytesOf(load<u32>(target, GRAPH_NODE_CODE_BITS));
  nodeCodeOffset = NODE_HEADER_BYTES + (<usize>maxDegree << 2);
}

/** Bytes of the bits of a binary code: whole vectors. */
@inline
export function bitBytesOf(bits: u32): u32 {
  return ((bits + 127) >>> 7) << 4;
}

/** Compares rows by distance from now on, whatever the metric: by dot product, long rows would be nearest to all. */
export function compareByDistance(): void {
  if (metric == METRIC_DOT_PRODUCT) metric = METRIC_EUCLIDEAN;
}

/** Addresses of a slot's row: its codes in the low half, its meta in the high half. */
@inline
export function rowAddresses(slot: u32): u64 {
  const frame = <u32>((<u64>slot * rowsInverse) >> 40);
  const base = load<u32>(codeFrames + (<usize>frame << 2));
  const row = slot - frame * rowsPerFrame;
  return <u64>(base + row * <u32>stride) | (<u64>(base + <u32>metaOffset + row * META_BYTES) << 32);
}

@inline
export function nodeAddress(slot: u32): usize {
  const frame = <u32>((<u64>slot * nodesInverse) >> 40);
  const base = load<u32>(nodeFrames + (<usize>frame << 2));
  return <usize>(base + (slot - frame * nodesPerFrame) * nodeBytes);
}

@inline
export function edgeAddress(node: usize, at: i32): usize {
  return node + <usize>(NODE_HEADER_BYTES + (at << 2));
}

@inline
export function degreeOf(node: usize): i32 {
  return <i32>(atomic.load<u32>(node) & DEGREE_MASK);
}

@inline
export function isPresent(slot: u32): bool {
  return (atomic.load<u32>(nodeAddress(slot)) & NODE_PRESENT) != 0;
}

/** Spins until nobody else changes the node's edges. @returns its degree */
export function lockNode(node: usize): i32 {
  let state = atomic.load<u32>(node) & ~NODE_LOCKED;
  while (atomic.cmpxchg<u32>(node, state, state | NODE_LOCKED) != state) {
    state = atomic.load<u32>(node) & ~NODE_LOCKED;
  }
  return <i32>(state & DEGREE_MASK);
}

/** Publishes the node's edges, and unlocks it. */
@inline
export function unlockNode(node: usize, degree: i32): void {
  atomic.store<u32>(node, NODE_PRESENT | <u32>degree);
}

@inline
export function testBit(bitmap: usize, slot: u32): bool {
  return ((load<u32>(bitmap + <usize>((slot >>> 5) << 2)) >>> (slot & 31)) & 1) != 0;
}

@inline
export function setBit(bitmap: usize, slot: u32): void {
  const word = bitmap + <usize>((slot >>> 5) << 2);
  store<u32>(word, load<u32>(word) | (1 << (slot & 31)));
}
