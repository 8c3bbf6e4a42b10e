// Brings a segment back from a file: allocates it first, so that the file's parts can be read into their places.
import type { FileBytes } from '../memory/file-frames.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import type { SegmentState } from './saved-segment.ts';
import type { SegmentContext } from './segment-context.ts';
import { SegmentWriter } from './segment-writer.ts';

/** A segment that waits for the parts of its file. */
export interface EmptySegment {
  readonly segment: SegmentWriter;
  /** To be filled from the file. */
  readonly parts: readonly Part[];
  /**
   * Completes the segment once the parts are filled; publish it afterwards.
   * @param hasGraph false when the parts of the graph could not be read: the segment then has none. @throws ArenaFull
   */
  finish(hasGraph: boolean): void;
}

/**
 * Allocates a saved segment; null when its texts were analyzed in another way.
 * @param savedCodes where a file has the codes and they may be mapped; null otherwise. @throws ArenaFull
 */
export function restoreSegment(
  state: SegmentState,
  context: SegmentContext,
  savedCodes: FileBytes | null,
): EmptySegment | null {
  const segment = new SegmentWriter(state.spaceId, state.filterable, context);
  try {
    const restoring = segment.restore(state, savedCodes);
    if (restoring !== null) return { segment, ...restoring };
    segment.release();
    return null;
  } catch (error) {
    segment.release();
    throw error;
  }
}
