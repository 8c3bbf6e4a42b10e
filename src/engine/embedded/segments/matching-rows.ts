// Finds the records of a segment that match a filter by its columns, in the writer's thread.
import type { Filter } from '../../../domain/filter/grammar.ts';
import { intersect, setBits } from '../filters/bitmap.ts';
import type { SegmentWriter } from './segment-writer.ts';

/** What `rowsMatching` finds in all segments of a namespace; null for one that is not in memory. */
export function rowsMatchingIn(
  segments: readonly SegmentWriter[],
  filter: Filter,
  filterable: readonly string[] | null,
): readonly number[] | null {
  if (segments.length === 0) return null;
  return segments.flatMap((segment) => rowsMatching(segment, filter, filterable));
}

/**
 * The rows of the records whose metadata match a filter without text queries: where strings share a hash, of a few
 * others too. Call while all that was appended is published.
 * @param filterable fields that the filter may use; null for all
 */
function rowsMatching(
  { data, slotCount }: Pick<SegmentWriter, 'data' | 'slotCount'>,
  filter: Filter,
  filterable: readonly string[] | null,
): readonly number[] {
  const columns = data.columns.reader();
  const matching = columns.evaluate(filter, { slotCount, filterable });
  const live = new Uint32Array(matching.length);
  data.live.copy(live, slotCount);
  intersect(live, matching);
  columns.release(matching);
  return [...setBits(live)].map((slot) => data.slots.rowOf(slot));
}
