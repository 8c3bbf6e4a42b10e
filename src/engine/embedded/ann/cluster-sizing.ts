// How many clusters a graph has, and when it gets others.
import {
  BINARY_CODE_ALIGN_BYTES,
  BINARY_CODE_NORM_BYTES,
  CLUSTERS_MAX,
  FRAME_BYTES,
  rowsPerFrame,
  SAMPLE_SHIFT,
  SAMPLES_PER_BLOCK,
} from '../kernels/layout.ts';

/** Bytes of a block of links between samples. */
export const SAMPLE_BLOCK_BYTES = 4 * SAMPLES_PER_BLOCK;
/** With fewer slots walks do without clusters. */
const SLOTS_MIN = 1_024;
/** A graph that has grown by this factor since its clusters were chosen gets new ones. */
const GROWTH = 2;
/**
 * Clusters for each root of the slots: measuring all centres then costs about as much as measuring the samples of the
 * nearest ones does (docs/decisions/017-graph-search.md).
 */
const CLUSTERS_PER_ROOT = 2;
/** With fewer components a row is as short as its sketch, and signs tell too little. */
const BINARY_CODE_DIM_MIN = 128;
/** Samples of a cluster, on average, at least. */
const SAMPLES_EACH_MIN = 4;

/** Samples among so many slots. */
export function sampleCount(slots: number): number {
  return Math.ceil(slots / 2 ** SAMPLE_SHIFT);
}

/** Blocks that the links between the samples of so many slots take. */
export function sampleBlocks(slots: number): number {
  return Math.ceil(sampleCount(slots) / SAMPLES_PER_BLOCK);
}

/** Clusters that a graph of so many slots is to have; 0 for none. */
export function clusterCount(slots: number): number {
  if (slots < SLOTS_MIN) return 0;
  const byRoot = Math.min(CLUSTERS_PER_ROOT * Math.sqrt(slots), sampleCount(slots) / SAMPLES_EACH_MIN);
  return Math.floor(Math.min(byRoot, CLUSTERS_MAX));
}

/** True when a graph of so many slots, whose clusters were chosen at `chosenAt` (0 for none), is to have others. */
export function areClustersDue(slots: number, chosenAt: number): boolean {
  return slots >= Math.max(SLOTS_MIN, GROWTH * chosenAt);
}

/** Frames that the centres of so many clusters take, and the middle of these. */
export function centroidFrames(clusters: number, dim: number): number {
  return Math.ceil((clusters + 1) / rowsPerFrame(dim));
}

/** Bits of a sketch, 0 for none. */
export function binaryCodeBits(dim: number): number {
  return dim < BINARY_CODE_DIM_MIN ? 0 : dim;
}

/** Bytes of a sketch's bits: whole vectors. The norm lies behind them. */
export function binaryCodeBitBytes(bits: number): number {
  return 16 * Math.ceil(bits / 128);
}

/** Bytes from one sketch to the next. */
export function binaryCodeBytes(bits: number): number {
  return (
    BINARY_CODE_ALIGN_BYTES *
    Math.ceil((binaryCodeBitBytes(bits) + BINARY_CODE_NORM_BYTES) / BINARY_CODE_ALIGN_BYTES)
  );
}

/** Sketches in a frame: a multiple of four. */
export function binaryCodesPerFrame(bits: number): number {
  return 4 * Math.floor(FRAME_BYTES / binaryCodeBytes(bits) / 4);
}

/** Frames that the sketches of so many clusters, and of the samples among so many slots, take. */
export function binaryCodeFrames(clusters: number, slots: number, dim: number): number {
  const bits = binaryCodeBits(dim);
  return bits === 0 ? 0 : Math.ceil((clusters + sampleCount(slots)) / binaryCodesPerFrame(bits));
}

/** Bytes that the clusters of so many slots take. */
export function clusterBytes(slots: number, dim: number): number {
  const clusters = clusterCount(slots);
  const frames = centroidFrames(clusters, dim) + binaryCodeFrames(clusters, slots, dim);
  return frames * FRAME_BYTES + sampleBlocks(slots) * SAMPLE_BLOCK_BYTES;
}
