// How many regions a graph has, and when it gets others.
import { FRAME_BYTES, rowsPerFrame, SAMPLE_SHIFT, SAMPLES_PER_BLOCK } from './layout.ts';

/** Bytes of a block of links between samples. */
export const SAMPLE_BLOCK_BYTES = 4 * SAMPLES_PER_BLOCK;
/** With fewer slots walks do without regions. */
const SLOTS_MIN = 1_024;
/** A graph that has grown by this factor since its regions were chosen gets new ones. */
const GROWTH = 2;
/**
 * Regions for each root of the slots: measuring all centres then costs about as much as measuring the samples of the
 * nearest ones does (docs/decisions/045).
 */
const REGIONS_PER_ROOT = 2;
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
  return Math.floor(Math.min(REGIONS_PER_ROOT * Math.sqrt(slots), sampleCount(slots) / SAMPLES_EACH_MIN));
}

/** True when a graph of so many slots, whose regions were chosen at `chosenAt` (0 for none), is to have others. */
export function areRegionsDue(slots: number, chosenAt: number): boolean {
  return slots >= Math.max(SLOTS_MIN, GROWTH * chosenAt);
}

/** Frames that the centres of so many regions take. */
export function centreFrames(regions: number, dim: number): number {
  return Math.ceil(regions / rowsPerFrame(dim));
}

/** Bytes that the regions of so many slots take. */
export function regionBytes(slots: number, dim: number): number {
  const centres = centreFrames(regionCount(slots), dim) * FRAME_BYTES;
  return centres + sampleBlocks(slots) * SAMPLE_BLOCK_BYTES;
}
