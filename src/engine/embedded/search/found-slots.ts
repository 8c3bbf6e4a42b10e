// The best slots of a search before their records are read, in the order of their scores and ids.
import { compareIds } from './search-target.ts';
import { type Selection, topIn } from './selection.ts';
import type { TopK } from './top-k.ts';

/** A slot among the best of a search. */
export interface Found {
  readonly selection: Selection;
  /** NO_ROW where the id is enough. */
  readonly row: number;
  /** Higher is better. */
  readonly key: number;
  /** Null where it is too long to be in memory. */
  readonly id: string | null;
}

const NO_ROW = -1;

export function foundIn(selection: Selection, top: TopK, isIdEnough: boolean): readonly Found[] {
  const { keys, slots } = topIn(selection, top);
  const ids = selection.view.idsOf(slots);
  // Each row read is likely to be a miss of the processor's caches.
  const rows = isIdEnough && !ids.includes(null) ? null : selection.view.rowsOf(slots);
  return ids.map((id, i) => ({ selection, row: rows?.[i] ?? NO_ROW, key: keys[i] ?? 0, id }));
}

/** Leaves out those that tie with the last and come after it by their ids, so that no records are read for them. */
export function topFound(found: readonly Found[], capacity: number): readonly Found[] {
  if (found.length <= capacity) return found;
  const known = found
    .filter(({ id }) => id !== null)
    .sort((a, b) => b.key - a.key || compareIds(a.id ?? '', b.id ?? ''));
  return [...known.slice(0, capacity), ...found.filter(({ id }) => id === null)];
}
