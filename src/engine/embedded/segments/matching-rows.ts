// Finds the records of a segment that match a filter by its columns, in the writer's thread.
import type { Filter } from '../../../domain/filter/grammar.ts';
import { intersect } from '../filters/bitmap.ts';
import { RowSet } from '../storage/row-set.ts';
import type { SegmentWriter } from './segment-writer.ts';

/**
 * The rows of the records of a namespace whose metadata match a filter without text queries: where strings share a hash,
 * of a few others too. Call while all that was appended is published.
 * @param filterable fields that the filter may use; null for all
 * @returns null for a namespace that is not in memory
 */
export function rowsMatchingIn(
  segments: readonly SegmentWriter[],
  filter: Filter,
  filterable: readonly string[] | null,
): RowSet | null {
  if (segments.length === 0) return null;
  const rows = new RowSet();
  for (const segment of segments) addMatching(rows, segment, { filter, filterable });
  return rows;
}

/** Millions of rows are added in one go, so this does without a generator. */
function addMatching(
  rows: RowSet,
  { data, slotCount }: Pick<SegmentWriter, 'data' | 'slotCount'>,
  { filter, filterable }: { readonly filter: Filter; readonly filterable: readonly string[] | null },
): void {
  const columns = data.columns.reader();
  const matching = columns.evaluate(filter, { slotCount, filterable });
  const live = new Uint32Array(matching.length);
  data.live.copy(live, slotCount);
  intersect(live, matching);
  columns.release(matching);
  for (let at = 0; at < live.length; at++)
    for (let word = live[at] ?? 0; word !== 0; word &= word - 1)
      rows.add(data.slots.rowOf(at * 32 + 31 - Math.clz32(word & -word)));
}
