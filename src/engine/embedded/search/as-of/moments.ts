// Finds the write whose state a moment means, within what the history reaches.
import { type Fault, invalid } from '../../../../domain/faults.ts';
import type { Moment } from '../../../port/past-reads.ts';
import type { HistoryState } from '../../storage/history/history-table.ts';
import { type HistoryReach, reachOf } from '../../storage/history/reach.ts';
import { seqAt } from '../../storage/history/writes-by-time.ts';
import { type ReadTables, type RecordStore, SEQ } from '../../storage/record-store.ts';

/** The window of the history, which may have more than it. */
export interface HistoryClock {
  /** How long changes are kept, in milliseconds. */
  readonly msMax: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type HistoryTables = Pick<ReadTables, 'numbers' | 'history'>;

/** @throws invalid-argument as `ReadAsOf` */
export function seqOfMoment(store: RecordStore, moment: Moment, clock: HistoryClock): number {
  const last = store.numbers.get(SEQ);
  const state = keptState(store);
  const now = clock.now();
  if ('lsn' in moment) {
    if (moment.lsn > last) throw invalid(`the last write of the index is ${last}, got ${moment.lsn}`);
    if (moment.lsn === last) return last;
    if (state === null) throw noHistory();
    const reach = reachOf(store.history, state, now - clock.msMax);
    if (moment.lsn < reach.fromSeq) throw tooOld(reach);
    return moment.lsn;
  }
  if (moment.ms > now) throw invalid(`the moment ${new Date(moment.ms).toISOString()} is in the future`);
  if (state === null) throw noHistory();
  const reach = reachOf(store.history, state, now - clock.msMax);
  const seq = seqAt(store.history, moment.ms, now);
  if (seq === null || moment.ms < reach.fromMs) throw tooOld(reach);
  return Math.max(seq, reach.fromSeq);
}

/** @throws invalid-argument when the history no longer reaches back to a write */
export function checkReached(store: HistoryTables, seq: number): void {
  if (store.numbers.get(SEQ) === seq) return;
  const state = keptState(store);
  if (state === null) throw noHistory();
  if (seq < state.fromSeq) throw tooOld(state);
}

/** Null where no history is kept, or a release without it has written since. */
function keptState(store: HistoryTables): HistoryState | null {
  const state = store.history.state();
  return state?.toSeq === store.numbers.get(SEQ) ? state : null;
}

function noHistory(): Fault {
  return invalid('the index has no history of earlier moments');
}

function tooOld({ fromSeq, fromMs }: HistoryReach): Fault {
  return invalid(
    `the history of the index reaches back to LSN ${fromSeq} (${new Date(fromMs).toISOString()}), no further`,
  );
}
