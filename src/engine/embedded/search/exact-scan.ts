// Scans slots, and is sure of the best among them: by upper bounds of their scores from codes, of which the best are
// scored exactly, and where these do not suffice, all that may be among the best.
import type { QueryExplain } from '../../../domain/query-explain.ts';
import { BEAM_CAPACITY_MAX } from '../ann/search-tuning.ts';
import { clearBit } from '../filters/bitmap.ts';
import { rowsPerFrame } from '../kernels/layout.ts';
import { beginScan, endScan, type Reading, type SlotRange, scanCodes } from './code-scan.ts';
import { heapEntries, isSure } from './heap-entries.ts';
import { type Rescoring, rescore } from './rescoring.ts';
import { SWEPT_ROWS } from './search-layout.ts';
import type { Selection } from './selection.ts';

/** Rows of half of the slots lie on nearly every page. */
const IN_ORDER_SHARE_MIN = 0.5;

export interface ScanOptions {
  /** The first slot to scan; 0 when the graph was not searched. */
  readonly from: number;
  readonly dimension: number;
}

/** Offers the best of the selected slots from `from` on to the top of `rescoring`. */
export function scanExactly(
  selection: Selection,
  { from, dimension }: ScanOptions,
  rescoring: Rescoring,
): void {
  const { layout, snapshot, workspace } = selection;
  const { explain, top } = rescoring;
  const until = snapshot.slotCount;
  if (explain !== null) explainScan(explain, { from, selection });
  if (from === until) return;
  clearBits(selection.bitmap, from);
  beginScan(selection);
  const reading = { isCold: false };
  scanCodes(selection, { from: from === 0 ? scanGraph(selection, dimension) : from, until }, reading);
  const heap = endScan(selection);
  explain?.endStage('search');
  if (explain !== null) explain.distances += heap.offered;
  const entries = heapEntries(workspace, layout.heap, heap.count);
  const { count: scored } = rescore(selection, entries, rescoring);
  if (isSure(top, heap)) return;
  for (let i = 0; i < scored; i++) clearBit(selection.bitmap, entries.slots[2 * i + 1] ?? 0);
  sweep(selection, { range: { from, until }, dimension, reading }, rescoring);
}

/**
 * Scores all selected slots of a range whose bounds reach the worst of the best, a few frames at a time: bounds that do not
 * tell rows apart are left aside as soon as one does, and need no room beyond a few frames.
 */
function sweep(
  selection: Selection,
  {
    range,
    dimension,
    reading,
  }: { readonly range: SlotRange; readonly dimension: number; readonly reading: Reading },
  rescoring: Rescoring,
): void {
  const { layout, workspace } = selection;
  const { explain, top } = rescoring;
  const perFrame = rowsPerFrame(dimension);
  const step = perFrame * Math.floor(SWEPT_ROWS / perFrame);
  const first = range.from - (range.from % perFrame);
  for (let from = first; from < range.until; from += step) {
    beginScan(selection, { capacity: SWEPT_ROWS, least: top.bound });
    scanCodes(selection, { from, until: Math.min(from + step, range.until) }, reading);
    const { count, offered } = endScan(selection);
    if (explain !== null) explain.distances += offered;
    rescore(selection, heapEntries(workspace, layout.heap, count), rescoring);
  }
}

/**
 * Scans the slots that are in the graph and in whole frames, faster where few match. Where codes may lie in a file and
 * most pages of it are wanted, that is left to a scan of the frames in their order. @returns the first slot left
 */
function scanGraph(selection: Selection, dimension: number): number {
  const { layout, snapshot, workspace, bitmap, isFiltered } = selection;
  const { graph } = snapshot;
  if (graph === null || layout.graphScratch === null) return 0;
  if (graph.hasNodeCodes && (!isFiltered || selection.count(graph.slots) >= IN_ORDER_SHARE_MIN * graph.slots))
    return 0;
  const slotLimit = graph.slots - (graph.slots % rowsPerFrame(dimension));
  workspace.kernel.graph.scan({
    graph: graph.address,
    query: layout.rowScorer?.query ?? 0,
    bitmap: bitmap.byteOffset,
    slotLimit,
    sparseScores: layout.sparseScores,
    heap: layout.heap,
    scratch: { address: layout.graphScratch, beamCapacity: BEAM_CAPACITY_MAX },
  });
  return slotLimit;
}

/** `from`: the first slot to scan; 0 when the graph was not searched. */
function explainScan(
  explain: QueryExplain,
  { from, selection: { snapshot } }: { readonly from: number; readonly selection: Selection },
): void {
  const unindexed = snapshot.slotCount - from;
  if (from > 0) explain.unindexed += unindexed;
  explain.addStructure(from === 0 ? 'scan' : unindexed === 0 ? 'graph' : 'graph+tail');
}

/** Clears the bits of the slots below `until` in the words that a scan from there on reads, and in those before. */
function clearBits(bitmap: Uint32Array, until: number): void {
  bitmap.fill(0, 0, until >>> 5);
  bitmap[until >>> 5] = (bitmap[until >>> 5] ?? 0) & (-1 << (until & 31));
}
