// How many regions a graph has, and when it gets others.
import {
  FRAME_BYTES,
  REGIONS_MAX,
  rowsPerFrame,
  SAMPLE_SHIFT,
  SAMPLES_PER_BLOCK,
  SKETCH_ALIGN_BYTES,
  SKETCH_NORM_BYTES,
} from '../kernels/layout.ts';

/** Bytes of a block of links between samples. */
export const SAMPLE_BLOCK_BYTES = 4 * SAMPLES_PER_BLOCK;
/** With fewer slots walks do without regions. */
const SLOTS_MIN = 1_024;
/** A graph that has grown by this factor since its regions were chosen gets new ones. */
const GROWTH = 2;
/**
 * Regions for each root of the slots: measuring all centres then costs about as much as measuring the samples of the
 * nearest ones does (docs/decisions/017-graph-search.md).
 */
const REGIONS_PER_ROOT = 2;
/** With fewer components a row is as short as its sketch, and signs tell too little. */
const SKETCHED_DIM_MIN = 128;
/** Samples of a region, on average, at least. */
const SAMPLES_EACH_MIN = 4;

/** Samples among so many slots. */
export function sampleCount(slots: number): number {
  return Math.ceil(slots / 2 ** SAMPLE_SHIFT);
}

/** Blocks that the links between the samples of so many slots take. */
export function sampleBlocks(slots: number): number {
  return Math.ceil(sampleCount(slots) / SAMPLES_PER_BLOCK);
}

/** Regions that a graph of so many slots is to have; 0 for none. */
export function regionCount(slots: number): number {
  if (slots < SLOTS_MIN) return 0;
  const byRoot = Math.min(REGIONS_PER_ROOT * Math.sqrt(slots), sampleCount(slots) / SAMPLES_EACH_MIN);
  return Math.floor(Math.min(byRoot, REGIONS_MAX));
}

/** True when a graph of so many slots, whose regions were chosen at `chosenAt` (0 for none), is to have others. */
export function areRegionsDue(slots: number, chosenAt: number): boolean {
  return slots >= Math.max(SLOTS_MIN, GROWTH * chosenAt);
}

/** Frames that the centres of so many regions take, and the middle of these. */
export function centreFrames(regions: number, dim: number): number {
  return Math.ceil((regions + 1) / rowsPerFrame(dim));
}

/** Bits of a sketch, 0 for none. */
export function sketchBits(dim: number): number {
  return dim < SKETCHED_DIM_MIN ? 0 : dim;
}

/** Bytes of a sketch's bits: whole vectors. The norm lies behind them. */
export function sketchBitBytes(bits: number): number {
  return 16 * Math.ceil(bits / 128);
}

/** Bytes from one sketch to the next. */
export function sketchBytes(bits: number): number {
  return SKETCH_ALIGN_BYTES * Math.ceil((sketchBitBytes(bits) + SKETCH_NORM_BYTES) / SKETCH_ALIGN_BYTES);
}

/** Sketches in a frame: a multiple of four. */
export function sketchesPerFrame(bits: number): number {
  return 4 * Math.floor(FRAME_BYTES / sketchBytes(bits) / 4);
}

/** Frames that the sketches of so many regions, and of the samples among so many slots, take. */
export function sketchFrames(regions: number, slots: number, dim: number): number {
  const bits = sketchBits(dim);
  return bits === 0 ? 0 : Math.ceil((regions + sampleCount(slots)) / sketchesPerFrame(bits));
}

/** Bytes that the regions of so many slots take. */
export function regionBytes(slots: number, dim: number): number {
  const regions = regionCount(slots);
  const frames = centreFrames(regions, dim) + sketchFrames(regions, slots, dim);
  return frames * FRAME_BYTES + sampleBlocks(slots) * SAMPLE_BLOCK_BYTES;
}
