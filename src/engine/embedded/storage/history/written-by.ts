// By when writes were made whose times are ahead of the clock: times of changes never fall, so that one write of a clock
// that was ahead gives its time to all later ones, until the clock has reached it.
import type { HistoryState, WrittenBy } from './history-table.ts';

/** Every other bound is at least this part of the kept time behind the one before it. */
const PARTS = 24;

/** Whether it is to be noted that the writes so far were made by now. */
export function lacksBound(state: HistoryState, now: number): boolean {
  const last = boundsOf(state, now).at(-1);
  return state.changes > 0 && state.lastMs > now && (last === undefined || last.seq < state.toSeq);
}

/** The bounds after another look at the clock. @param keptMs how long changes are kept, in milliseconds */
export function boundsAt(state: HistoryState, now: number, keptMs: number): readonly WrittenBy[] {
  const known = boundsOf(state, now);
  if (!lacksBound(state, now)) return known;
  const before = known.at(-2);
  const isClose = before !== undefined && now - before.ms < keptMs / PARTS;
  return [...(isClose ? known.slice(0, -1) : known), { seq: state.toSeq, ms: now }];
}

/** The latest moment at which a write may have been made, in milliseconds since 1970. @param ms its time */
export function writtenBy(state: HistoryState, { seq, ms }: WrittenBy): number {
  const bound = (state.writtenBy ?? []).find((each) => each.seq >= seq);
  return Math.min(ms, bound?.ms ?? ms);
}

/** Those that are of use: not of writes that are gone, nor of a clock that was ahead as well. */
function boundsOf({ writtenBy = [], fromSeq }: HistoryState, now: number): readonly WrittenBy[] {
  return writtenBy.filter(({ seq, ms }) => seq > fromSeq && ms <= now);
}
