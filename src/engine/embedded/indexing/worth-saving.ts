// Which segments have derived files: those that are slow to make anew.
import type { SegmentWriter } from '../segments/segment-writer.ts';
import type { SegmentCheckpointer } from './segment-checkpointer.ts';

/** Texts and sparse vectors of fewer slots are indexed anew in a few tenths of a second. */
const SAVED_SLOTS_MIN = 2_048;

/** @param segments how many the namespace has */
export function isWorthSaving({ graphIndex, data, slotCount }: SegmentWriter, segments: number): boolean {
  if (graphIndex.graph !== null || segments > 1) return true;
  return slotCount >= SAVED_SLOTS_MIN && (data.hasTexts || data.hasSparse);
}

/** True when closing an index loses nothing that was worth the work. @param segments all that it has in memory */
export function areSaved(
  segments: readonly SegmentWriter[],
  checkpointer: Pick<SegmentCheckpointer, 'isSaved'>,
): boolean {
  const counts = new Map<number, number>();
  for (const { namespaceId } of segments) counts.set(namespaceId, (counts.get(namespaceId) ?? 0) + 1);
  return segments.every(
    (each) => !isWorthSaving(each, counts.get(each.namespaceId) ?? 0) || checkpointer.isSaved(each),
  );
}
