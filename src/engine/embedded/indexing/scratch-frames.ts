// How many frames of an arena the threads that search and build a segment may take as scratch memory.
import { FRAME_BYTES } from '../memory/arena.ts';
import { SCRATCH_GROWTH } from '../search/scratch.ts';
import { usualSearchBytes } from '../search/search-layout.ts';
import type { ScratchNeeds } from '../segments/memory-pool.ts';
import { BUILD_SCRATCH_GROWTH } from './builds/build-scratch.ts';
import { scratchBytesMax } from './builds/build-steps.ts';

/**
 * Outgrown areas are never freed. Each is at least twice as large as the one before, so that all of them together are no
 * larger than the last.
 */
const OUTGROWN = 2;

/** Frames for so many readers and builders, outgrown areas included. */
export function scratchFramesFor(
  { slots, dimension, hasSparse, hasGraph }: ScratchNeeds,
  threads: { readonly readers: number; readonly builders: number },
): number {
  if (dimension === null) return 0;
  const search = SCRATCH_GROWTH * usualSearchBytes({ slots, dimension, hasGraph }, { hasSparse });
  const build = hasGraph ? BUILD_SCRATCH_GROWTH * scratchBytesMax(slots, dimension) : 0;
  const frames = (bytes: number) => Math.ceil((OUTGROWN * bytes) / FRAME_BYTES);
  return threads.readers * frames(search) + threads.builders * frames(build);
}
