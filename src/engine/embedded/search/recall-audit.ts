// Looks through some of the slots that a walk was to search, for matches that it has missed.
import { beginScan, endScan, type SlotRange, scanCodes } from './code-scan.ts';
import { heapEntries } from './heap-entries.ts';
import { type Rescoring, rescore } from './rescoring.ts';
import { globalSlot, type Selection, topIn } from './selection.ts';

/**
 * Offers to `top` what the walk has missed in the range, and takes the bits of what is in `top` from the selection.
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
  // Beside the range, its first frame was scanned.
  const first = globalSlot(selection, range.from);
  const isMissed = (slot: number): boolean => !found.has(slot) && slot >= first;
  return top.entries().filter(({ key, slot }) => key > bound && isMissed(slot)).length;
}

function clearBit(bitmap: Uint32Array, slot: number): void {
  bitmap[slot >>> 5] = (bitmap[slot >>> 5] ?? 0) & ~(1 << (slot & 31));
}
