// Narrows the slots of a segment to the records that contain all required terms, before anything is ranked.
import type { SparseVector } from '../../port/reader-and-writer.ts';
import { bitmaps } from '../filters/bitmap.ts';
import type { Selection } from './selection.ts';
import { openPostingLists } from './sparse-search.ts';

/** Keeps the slots whose sparse vector has every index; values, zero and negative ones included, do not matter. */
export function requireTerms(selection: Selection, indices: Uint32Array): void {
  // However many indices are required, all stop once no slot is left.
  indices.every((index) => narrowToTerm(selection, index));
}

/** Narrows the selection to one index. @returns false when no slot is left */
function narrowToTerm(selection: Selection, index: number): boolean {
  const { snapshot } = selection;
  const containing = bitmaps.take(snapshot.slotCount);
  let isAny = false;
  const one = { indices: Uint32Array.of(index), values: Float32Array.of(1) };
  openPostingLists(selection, one).visitSharing((slot) => {
    containing[slot >>> 5] = (containing[slot >>> 5] ?? 0) | (1 << (slot & 31));
    isAny = true;
  });
  selection.narrow(containing);
  bitmaps.give(containing);
  return isAny;
}

/** Whether a vector has every index; both lists ascend. */
export function containsAll(sparse: SparseVector | null, indices: Uint32Array): boolean {
  const own = sparse?.indices ?? new Uint32Array(0);
  let at = 0;
  for (const index of indices) {
    while (at < own.length && (own[at] ?? 0) < index) at++;
    if (own[at] !== index) return false;
  }
  return true;
}
