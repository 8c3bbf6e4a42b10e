// Scans the codes of consecutive slots for upper bounds of their scores.
import type { HeapSummary } from '../kernels/kernel.ts';
import type { Selection } from './selection.ts';

/** Slots from..until - 1. */
export interface SlotRange {
  readonly from: number;
  readonly until: number;
}

/** Empties the heap of a search before its scans. */
export function beginScan({ layout, workspace }: Selection): void {
  workspace.kernel.resetHeap(layout.heap, layout.heapCapacity);
}

/** Offers the selected slots of the range to the heap, and those before it in its first frame. */
export function scanCodes({ bitmap, layout, view, workspace }: Selection, { from, until }: SlotRange): void {
  for (const { address, firstSlot, rows } of view.codeFrames(from, until)) {
    workspace.kernel.scanFrame({
      query: layout.rowScorer?.query ?? 0,
      heap: layout.heap,
      frame: address,
      rowCount: rows,
      firstSlot,
      bitmap: bitmap.byteOffset,
      sparseScores: layout.sparseScores,
    });
  }
}

/** Sorts what the scans have offered. */
export function endScan({ layout, workspace }: Selection): HeapSummary {
  return workspace.kernel.finishHeap(layout.heap);
}
