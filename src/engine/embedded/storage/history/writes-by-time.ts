// Finds writes by moments, as far as the clock lets them be told. Times of changes never fall: where the clock was set
// back, the next ones have the time of the last, and moments around it are answered by nobody.
import { type Fault, invalid } from '../../../../domain/faults.ts';
import type { HistoryBatch, HistoryState, HistoryTable, UnsureMoments } from './history-table.ts';

/** Spans of moments that are told apart. */
const UNSURE_MAX = 32;
/** A clock that is set back by less, as by its daily corrections, leaves nothing unsure: moments are about as exact. */
const SET_BACK_MS_MIN = 1_000;

/**
 * The last write at or before a moment, by the times of changes; null for a moment before the history.
 * @param now milliseconds since 1970
 * @throws invalid-argument for a moment of which it is not known
 */
export function seqAt(table: HistoryTable, ms: number, now: number): number | null {
  const state = table.state();
  if (state === null || ms < state.fromMs) return null;
  const unsure = unsureMoments(table, state, now).find(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
  if (unsure !== undefined) throw clockSetBack(unsure);
  return lastAt(table, state, ms);
}

/**
 * The moments of which it is not known what had been written, with those that a clock shows to be so that is behind the
 * last change. That clock was ahead, since any moment after the last change with a time before the present one; or it
 * was right, and shows moments that it has shown before.
 */
export function unsureMoments(
  table: HistoryTable,
  state: HistoryState,
  now: number,
): readonly UnsureMoments[] {
  const { lastMs: toMs, fromMs: beginMs } = state;
  const known = (state.unsure ?? []).filter((each) => each.toMs > beginMs);
  const isRight = toMs - now < SET_BACK_MS_MIN;
  if (isRight || known.some((each) => each.fromMs <= now && each.toMs >= toMs)) return known;
  const before = lastUpTo(table, lastAt(table, state, now));
  const all = [...known, { fromMs: (before?.header.ms ?? beginMs) + 1, toMs }];
  return all.length <= UNSURE_MAX ? all : [{ fromMs: Math.min(...all.map(({ fromMs }) => fromMs)), toMs }];
}

function clockSetBack({ fromMs, toMs }: UnsureMoments): Fault {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  return invalid(
    `the clock was set back: what had been written at moments between ${from} and ${to} is not known; name an LSN instead`,
  );
}

/** The last write at or before a moment within the history. */
function lastAt(table: HistoryTable, state: HistoryState, ms: number): number {
  return lastWhere(table, state, ({ header }) => header.ms <= ms);
}

/** The last write of the history of which a condition holds that holds of none after it. */
export function lastWhere(
  table: HistoryTable,
  state: HistoryState,
  holds: (batch: Omit<HistoryBatch, 'value'>) => boolean,
): number {
  let [low, high] = [state.fromSeq, state.toSeq];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const last = lastUpTo(table, middle);
    if (last === null || holds(last)) low = middle;
    else high = last.seq - 1;
  }
  return low;
}

function lastUpTo(table: HistoryTable, seq: number): Omit<HistoryBatch, 'value'> | null {
  for (const batch of table.latest({ seq: seq + 1, part: 0, namespaceId: 0 })) return batch;
  return null;
}
