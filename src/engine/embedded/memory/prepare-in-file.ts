// Makes frames of an arena's file before they are needed at once: the file's blocks are written, which takes a second a GiB.
import { setImmediate } from 'node:timers/promises';
import type { Allocator, MemoryNeed } from './allocator.ts';

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
  const frames: number[] = [];
  try {
    // Those that are free cost nothing, and would not be there for long: any write to the arena may take them.
    let atOnce = Math.max(FRAMES_A_TURN, allocator.framesFreeInFile);
    while (frames.length < inFile) {
      // What is reserved cannot be allocated.
      allocator.reservations.set(owner, null);
      const end = Math.min(inFile, frames.length + atOnce);
      while (frames.length < end) frames.push(allocator.frameInFile());
      atOnce = FRAMES_A_TURN;
      const left = { ...need, inFile: inFile - frames.length };
      allocator.reservations.set(owner, allocator.reservationFor(left));
      await setImmediate();
      signal.throwIfAborted();
    }
  } finally {
    allocator.reservations.set(owner, null);
    allocator.giveBack(frames);
  }
}
