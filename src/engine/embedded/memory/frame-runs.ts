// Runs of contiguous frames.
import { FRAME_BYTES } from './arena.ts';

export interface FrameRun {
  /** Of the first frame. */
  readonly address: number;
  readonly count: number;
}

/** The frames from `address` on, in order. */
export function framesOf({ address, count }: FrameRun): readonly number[] {
  return Array.from({ length: count }, (_, at) => address + at * FRAME_BYTES);
}

/** Address after the last frame. */
export function endOf({ address, count }: FrameRun): number {
  return address + count * FRAME_BYTES;
}

/** One run of several that lie beside each other. */
export function joined(runs: readonly FrameRun[]): FrameRun {
  return {
    address: Math.min(...runs.map(({ address }) => address)),
    count: runs.reduce((sum, { count }) => sum + count, 0),
  };
}

/** Joins frames that lie beside each other, in any order, each of them given once. */
export function runsOf(frames: readonly number[]): readonly FrameRun[] {
  const runs: FrameRun[] = [];
  let [address, count] = [0, 0];
  for (const frame of frames.toSorted((a, b) => a - b)) {
    if (count > 0 && frame === address + count * FRAME_BYTES) {
      count++;
      continue;
    }
    if (count > 0) runs.push({ address, count });
    [address, count] = [frame, 1];
  }
  if (count > 0) runs.push({ address, count });
  return runs;
}
