// Makes frames of an arena's file before they are needed at once: the file's blocks are written, which takes a second a GiB.
import { setImmediate } from 'node:timers/promises';
import { type Allocator, type MemoryNeed, reservationFor } from './allocator.ts';
import type { FileFrames } from './file-frames.ts';

/** New frames in each turn of the event loop: at most one region of the file is written for them. */
const FRAMES_A_TURN = 16;

/**
 * Lets the allocator have `need.inFile` frames for what may lie in a file, some in each turn of the event loop. Meanwhile
 * nobody else gets what one more owner needs; when this resolves, allocate it before the turn ends.
 * @throws ArenaFull, or the signal's reason
 */
export async function prepareInFile(
  allocator: Allocator,
  need: MemoryNeed,
  signal: AbortSignal,
): Promise<void> {
  const { inFile } = need;
  const owner = {};
  // They cost nothing, and any write to the arena might take them meanwhile.
  const frames = takeFree(allocator.file, inFile);
  try {
    while (frames.length < inFile) {
      // What is reserved cannot be allocated.
      allocator.reservations.set(owner, null);
      const end = Math.min(inFile, frames.length + FRAMES_A_TURN);
      while (frames.length < end) frames.push(allocator.frameInFile());
      const left = { ...need, inFile: inFile - frames.length };
      allocator.reservations.set(owner, reservationFor(left, allocator.file));
      await setImmediate();
      signal.throwIfAborted();
    }
  } finally {
    allocator.reservations.set(owner, null);
    allocator.giveBack(frames);
  }
}

/** Free frames of a file, at most `count`. */
function takeFree(file: FileFrames | null, count: number): number[] {
  const frames: number[] = [];
  while (frames.length < count) {
    const frame = file?.take() ?? null;
    if (frame === null) break;
    frames.push(frame);
  }
  return frames;
}
