// Scans the codes of consecutive slots for upper bounds of their scores.
import type { HeapSummary } from '../kernels/kernel.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { announceReads } from '../memory/page-requests.ts';
import type { CodeFrame } from '../segments/segment-reader.ts';
import type { Selection } from './selection.ts';

/** Frames that are scanned between two looks at the clock: 2 MiB. */
const GROUP_FRAMES = 32;
/** What a group takes in memory is a tenth of this, and from disk, page by page, ten times as much. */
const GROUP_IN_MEMORY_MS = 3;

/** Slots from..until - 1. */
export interface SlotRange {
  readonly from: number;
  readonly until: number;
}

export interface ScanTools {
  readonly clock: () => number;
  readonly announce: typeof announceReads;
}

/** What scans of one segment in a search have met. */
export interface Reading {
  /** True once codes came from their file, page by page. */
  isCold: boolean;
}

const TOOLS: ScanTools = { clock: () => performance.now(), announce: announceReads };

/**
 * Empties the heap of a search before its scans.
 * @param least the least key that is kept, rounded to 32 bits; default any
 */
export function beginScan(
  { layout, workspace }: Selection,
  { capacity = layout.heapCapacity, least }: { readonly capacity?: number; readonly least?: number } = {},
): void {
  workspace.kernel.resetHeap(layout.heap, capacity, least);
}

/**
 * Offers the selected slots of the range to the heap, and those before it in its first frame. Once codes come from their
 * file, in this scan or one before with the same `reading`, the system is told of each group that it is read in order:
 * searches of graphs read a row here and there.
 */
export function scanCodes(
  { bitmap, layout, snapshot, view, workspace }: Selection,
  { from, until }: SlotRange,
  reading: Reading = { isCold: false },
  { clock, announce }: ScanTools = TOOLS,
): void {
  const mayBeInFile = snapshot.graph?.hasNodeCodes === true;
  for (const group of groups(view.codeFrames(from, until))) {
    const ranges = reading.isCold ? group.map(({ address }) => ({ address, bytes: FRAME_BYTES })) : null;
    if (ranges !== null) announce(workspace.arena, ranges, true);
    const began = clock();
    for (const { address, firstSlot, rows } of group) {
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
    reading.isCold ||= mayBeInFile && clock() - began > GROUP_IN_MEMORY_MS;
    if (ranges !== null) announce(workspace.arena, ranges, false);
  }
}

function* groups(frames: Iterable<CodeFrame>): Generator<readonly CodeFrame[]> {
  let group: CodeFrame[] = [];
  for (const frame of frames) {
    group.push(frame);
    if (group.length < GROUP_FRAMES) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Sorts what the scans have offered. */
export function endScan({ layout, workspace }: Selection): HeapSummary {
  return workspace.kernel.finishHeap(layout.heap);
}
