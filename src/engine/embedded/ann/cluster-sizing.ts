// How many clusters a graph has, when they are trained again, and how much memory they take.
import {
  BINARY_CODE_ALIGN_BYTES,
  BINARY_CODE_NORM_BYTES,
  CLUSTERS_MAX,
  FRAME_BYTES,
  rowsPerFrame,
  SAMPLE_SHIFT,
  SAMPLES_PER_BLOCK,
} from '../kernels/layout.ts';
import {
  BINARY_CODE_DIM_MIN,
  CLUSTERED_SLOTS_MIN,
  CLUSTERS_PER_ROOT,
  RETRAINING_GROWTH,
  SAMPLES_PER_CLUSTER_MIN,
} from './build-tuning.ts';

/** Bytes of a block of links between samples. */
export const SAMPLE_BLOCK_BYTES = 4 * SAMPLES_PER_BLOCK;

/** Samples among this many slots. */
export function sampleCount(slots: number): number {
  return Math.ceil(slots / 2 ** SAMPLE_SHIFT);
}

/** Blocks that the links between the samples of this many slots take. */
export function sampleBlocks(slots: number): number {
  return Math.ceil(sampleCount(slots) / SAMPLES_PER_BLOCK);
}

/** Clusters of a graph of this many slots; 0 for none. */
export function clusterCount(slots: number): number {
  if (slots < CLUSTERED_SLOTS_MIN) return 0;
  const byRoot = Math.min(CLUSTERS_PER_ROOT * Math.sqrt(slots), sampleCount(slots) / SAMPLES_PER_CLUSTER_MIN);
  return Math.floor(Math.min(byRoot, CLUSTERS_MAX));
}

/**
 * True when a graph of this many slots, whose clusters were trained at `trainedAt` slots (0 for never), needs new ones.
 */
export function areClustersDue(slots: number, trainedAt: number): boolean {
  return slots >= Math.max(CLUSTERED_SLOTS_MIN, RETRAINING_GROWTH * trainedAt);
}

/** Frames that the centroids of this many clusters and their mean take. */
export function centroidFrames(clusters: number, dim: number): number {
  return Math.ceil((clusters + 1) / rowsPerFrame(dim));
}

/** Bits of a binary code; 0 for none. */
export function binaryCodeBits(dim: number): number {
  return dim < BINARY_CODE_DIM_MIN ? 0 : dim;
}

/** Bytes of the bits of a binary code: whole vectors. The norm follows them. */
export function binaryCodeBitBytes(bits: number): number {
  return 16 * Math.ceil(bits / 128);
}

/** Bytes from one binary code to the next. */
export function binaryCodeBytes(bits: number): number {
  return (
    BINARY_CODE_ALIGN_BYTES *
    Math.ceil((binaryCodeBitBytes(bits) + BINARY_CODE_NORM_BYTES) / BINARY_CODE_ALIGN_BYTES)
  );
}

/** Binary codes in a frame: a multiple of four. */
export function binaryCodesPerFrame(bits: number): number {
  return 4 * Math.floor(FRAME_BYTES / binaryCodeBytes(bits) / 4);
}

/** Frames that the binary codes take, of this many clusters and of the samples among this many slots. */
export function binaryCodeFrames(clusters: number, slots: number, dim: number): number {
  const bits = binaryCodeBits(dim);
  return bits === 0 ? 0 : Math.ceil((clusters + sampleCount(slots)) / binaryCodesPerFrame(bits));
}

/** Bytes that the clusters of this many slots take. */
export function clusterBytes(slots: number, dim: number): number {
  const clusters = clusterCount(slots);
  const frames = centroidFrames(clusters, dim) + binaryCodeFrames(clusters, slots, dim);
  return frames * FRAME_BYTES + sampleBlocks(slots) * SAMPLE_BLOCK_BYTES;
}
