// Scratch memory of one builder in one arena: the builder grows it and keeps it for all its jobs there.
import type { Address } from '../../kernels/kernel-interface.ts';
import { ArenaFull } from '../../memory/allocator.ts';
import { Arena, FRAME_BYTES } from '../../memory/arena.ts';

/** Plain data, so that a builder's successor can have it. */
export interface BuildScratch {
  readonly address: Address;
  readonly bytes: number;
}

/** Allocates more than needed, so that a growing graph does not leave a trail of outgrown areas. */
export const BUILD_SCRATCH_GROWTH = 2;

/** Scratch memory of at least `bytes`: the known one, or a larger one. @throws ArenaFull */
export function scratchOf(
  memory: WebAssembly.Memory,
  bytes: number,
  known: BuildScratch | null,
): BuildScratch {
  if (known !== null && known.bytes >= bytes) return known;
  const arena = new Arena(memory);
  for (const scratchBytes of [bytes * BUILD_SCRATCH_GROWTH, bytes]) {
    const frames = Math.ceil(scratchBytes / FRAME_BYTES);
    const address = arena.grow(frames);
    if (address !== null) return { address, bytes: frames * FRAME_BYTES };
  }
  throw new ArenaFull('the index memory is full: no scratch memory to build a graph');
}
