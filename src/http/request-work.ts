// What the engine did for a request, as the log and traces tell it.
import type { AnswerWork } from '../api/data-request.ts';
import type { QueryExplanation } from '../domain/query-explain.ts';

/** Times in milliseconds, rounded to tenths. */
export interface RequestWork {
  /** When it began, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** In all: from the whole request being there to its answer. */
  readonly totalMs: number;
  /** Waiting for a thread, and on the way there and back. */
  readonly queueMs: number;
  readonly engineMs: number;
  /** What the search did, where it was slow; else null. */
  readonly explanation: QueryExplanation | null;
}

export function workDone(startedAt: number, [engineMs, , , , explanation]: AnswerWork): RequestWork {
  const totalMs = performance.now() - startedAt;
  return {
    startedAt,
    totalMs: tenths(totalMs),
    queueMs: tenths(Math.max(0, totalMs - engineMs)),
    engineMs: tenths(engineMs),
    explanation,
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
