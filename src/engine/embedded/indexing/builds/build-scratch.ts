// Scratch space of one builder in one index's arena: grown by the builder itself, kept for all its jobs there.
import type { Address } from '../../kernels/kernel-interface.ts';
import { ArenaFull } from '../../memory/allocator.ts';
import { Arena, FRAME_BYTES } from '../../memory/arena.ts';

/** Plain data, so that it can be handed on when the builder is replaced. */
export interface BuildScratch {
  readonly address: Address;
  readonly bytes: number;
}

/** More than is needed now: a graph that grows must not leave a trail of outgrown areas. */
export const BUILD_SCRATCH_GROWTH = 2;

/** Room of at least `bytes`: the one there is, or a larger one. @throws ArenaFull */
export function scratchOf(
  memory: WebAssembly.Memory,
  bytes: number,
  known: BuildScratch | null,
): BuildScratch {
  if (known !== null && known.bytes >= bytes) return known;
  const arena = new Arena(memory);
  for (const wanted of [bytes * BUILD_SCRATCH_GROWTH, bytes]) {
    const frames = Math.ceil(wanted / FRAME_BYTES);
    const address = arena.grow(frames);
    if (address !== null) return { address, bytes: frames * FRAME_BYTES };
  }
  throw new ArenaFull('the index memory has no room to build a graph in');
}
