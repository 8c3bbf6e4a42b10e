// Counts the values of metadata fields among selected slots, from columns; only the values to show are read from records.

import type { Scalar } from '../../../domain/filter/grammar.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import { FACET_DISTINCT_MAX, FACET_TIES_MAX } from '../../../domain/limits.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import { compareCounts, type FieldCounts, type ValueCount } from '../../../domain/records/value-counts.ts';
import type { MatchTargets, SparseVector, ValuesRequest } from '../../port/reader-and-writer.ts';
import { bitmaps, unite } from '../filters/bitmap.ts';
import { cellValue, isEmptyList } from '../filters/cell.ts';
import { type CellCount, CellCounts } from '../filters/cell-counts.ts';
import type { Selection } from './selection.ts';
import { openPostingLists } from './sparse-search.ts';
import type { TextSearch } from './text-search.ts';

/** Reads the metadata of a record; null when it has changed since the snapshot. */
export type ReadSelected = (place: {
  readonly selection: Selection;
  readonly row: number;
}) => { readonly metadataJson: string | null } | null;

/** The vector with the most indices, which decides how much memory a search needs; null for none. */
export function longestOf(vectors: readonly SparseVector[]): SparseVector | null {
  return vectors.reduce<SparseVector | null>(
    (longest, each) => (each.indices.length > (longest?.indices.length ?? -1) ? each : longest),
    null,
  );
}

/** Keeps the slots that match one of the targets. @param matching the slots of a text query, as a bitmap of the pool */
export function narrowToAny(
  selection: Selection,
  among: NonNullable<MatchTargets>,
  matching: (query: TextQuery) => Uint32Array,
): void {
  const any = bitmaps.take(selection.snapshot.slotCount);
  for (const { text, sparse } of among) {
    if (text !== null) {
      const slots = matching(text);
      unite(any, slots);
      bitmaps.give(slots);
    } else if (sparse !== null)
      openPostingLists(selection, sparse).visitSharing((slot) => {
        any[slot >>> 5] = (any[slot >>> 5] ?? 0) | (1 << (slot & 31));
      });
  }
  selection.narrow(any);
  bitmaps.give(any);
}

/** How many selected slots match one of the targets. @param search for a text query in the segment. Narrows the selection */
export function countAmong(
  selection: Selection,
  among: MatchTargets,
  search: (query: TextQuery) => Pick<TextSearch, 'count' | 'matching'>,
): number {
  if (among === null) return selection.count();
  const [only] = among;
  if (among.length === 1 && only !== undefined && only.text !== null) return search(only.text).count();
  narrowToAny(selection, among, (query) => search(query).matching());
  return selection.count();
}

/** Null when a record whose value is to be shown has changed. */
export function countSelected(
  selections: readonly Selection[],
  fields: ValuesRequest['fields'],
  read: ReadSelected,
): readonly FieldCounts[] | null {
  const counted: FieldCounts[] = [];
  for (const { field, limit } of fields) {
    const cells = new CellCounts(FACET_DISTINCT_MAX);
    for (const selection of selections) {
      const { bitmap, segment, snapshot, view } = selection;
      cells.startSegment(segment);
      view.columns.visitCells(field, { bitmap, slotCount: snapshot.slotCount }, (low, high, slot) => {
        if (!isEmptyList(low, high)) cells.add(low, high, slot);
      });
    }
    const values: ValueCount[] = [];
    for (const cell of cells.top(limit, FACET_TIES_MAX)) {
      const value = valueOfCell(cell, field, { selections, read });
      if (value === null) return null;
      values.push({ value, count: cell.count });
    }
    const shown = values.sort(compareCounts).slice(0, limit);
    counted.push({ field, values: shown, distinct: cells.size, isExact: cells.isExact });
  }
  return counted;
}

/** Null when the record that has it has changed since the snapshot. */
function valueOfCell(
  cell: CellCount,
  field: string,
  { selections, read }: { readonly selections: readonly Selection[]; readonly read: ReadSelected },
): Scalar | null {
  const known = cellValue(cell.low, cell.high);
  if (known !== 'string') return known;
  const selection = selections[cell.segment];
  const [row] = selection?.view.rowsOf([cell.slot]) ?? [];
  const record = selection === undefined || row === undefined ? null : read({ selection, row });
  if (record === null || selection === undefined) return null;
  const metadata = parseMetadata(record.metadataJson);
  const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
  const values = typeof value === 'object' ? value : value === undefined ? [] : [value];
  return values.find((each) => selection.view.columns.isCellOf(each, cell)) ?? null;
}
