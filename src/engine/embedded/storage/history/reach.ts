// How far back the history may be used, and when it has something to drop: by its window, whatever still waits on disk.
import type { HistoryBatch, HistoryState, HistoryTable } from './history-table.ts';
import { oldestBatch } from './history-table.ts';
import { lastWhere } from './writes-by-time.ts';
import { writtenBy } from './written-by.ts';

/** The oldest state that may be asked for: after this write, which was made by this moment. */
export type HistoryReach = Pick<HistoryState, 'fromSeq' | 'fromMs'>;

/**
 * What is older than the window is gone for whoever asks, although nobody has written since to drop it.
 * @param windowFromMs the oldest moment of the window, in milliseconds since 1970
 */
export function reachOf(table: HistoryTable, state: HistoryState, windowFromMs: number): HistoryReach {
  const isOld = (batch: Omit<HistoryBatch, 'value'>) => timeOf(state, batch) < windowFromMs;
  const first = state.changes === 0 ? null : oldestBatch(table);
  if (first === null || !isOld(first)) return state;
  return { fromSeq: lastWhere(table, state, isOld), fromMs: windowFromMs };
}

/**
 * When the stored history of an index has something to drop, in milliseconds since 1970; 0 where that is all of it, and
 * null for never.
 * @param seq of the last write of the index
 * @param msMax how long changes are kept; null for not at all
 */
export function historyDueMs(
  table: Pick<HistoryTable, 'state' | 'batches'>,
  seq: number,
  msMax: number | null,
): number | null {
  const state = table.state();
  if (state === null) return null;
  // Nothing leads to what was there before others wrote without history.
  if (msMax === null || state.toSeq !== seq) return 0;
  const first = state.changes === 0 ? null : oldestBatch(table);
  return first === null ? null : timeOf(state, first) + msMax;
}

/** By when a batch was written, in milliseconds since 1970. */
export function timeOf(state: HistoryState, { seq, header }: Omit<HistoryBatch, 'value'>): number {
  return writtenBy(state, { seq, ms: header.ms });
}
