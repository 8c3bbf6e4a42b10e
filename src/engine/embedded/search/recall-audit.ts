// Audits a graph search: scans a range of the slots for matches that it has missed.
import { clearBit } from '../filters/bitmap.ts';
import { beginScan, endScan, type SlotRange, scanCodes } from './code-scan.ts';
import { heapEntries } from './heap-entries.ts';
import { type Rescoring, rescore } from './rescoring.ts';
import { globalSlot, type Selection, topIn } from './selection.ts';

/**
 * Offers to `top` what the search has missed in the range, and clears the bits of what is in `top` in the selection.
 * @returns how many of the best were missed there
 */
export function findMissed(selection: Selection, range: SlotRange, rescoring: Rescoring): number {
  const { top } = rescoring;
  const { bitmap, layout, workspace } = selection;
  const { bound } = top;
  const found = new Set(top.entries().map(({ slot }) => slot));
  for (const slot of topIn(selection, top).slots) clearBit(bitmap, slot);
  beginScan(selection);
  scanCodes(selection, range);
  const { count } = endScan(selection);
  rescore(selection, heapEntries(workspace, layout.heap, count), rescoring);
  // The scan covers the first frame of the range as a whole.
  const first = globalSlot(selection, range.from);
  const isMissed = (slot: number): boolean => !found.has(slot) && slot >= first;
  return top.entries().filter(({ key, slot }) => key > bound && isMissed(slot)).length;
}
