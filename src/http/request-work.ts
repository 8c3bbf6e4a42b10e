// What a request to an index took its time for, as the log and traces tell it.
import type { AnswerWork } from '../api/data-request.ts';
import type { QueryExplanation } from '../domain/query-explain.ts';

/** On the clock of `performance.now()`, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Times in milliseconds, rounded to tenths. */
export interface RequestWork {
  /** In all: from the whole request being there to its answer; from its beginning where that came first. */
  readonly totalMs: number;
  /** Waiting, on the way to the engine's thread and back, and this process's own part: it reads texts for models. */
  readonly queueMs: number;
  readonly engineMs: number;
  /** Embedding and reranking. */
  readonly modelMs: number;
  /** What the search did, where it was slow; else null. */
  readonly explanation: QueryExplanation | null;
  /** From the engine being given the request to its answer; null where it gave none. */
  readonly engine: Span | null;
}

export interface WorkParts {
  readonly whole: Span;
  readonly engine: Span | null;
  readonly modelMs: number;
}

/** @param answered what the engine told of its part; undefined where it told nothing */
export function workDone({ whole, engine, modelMs }: WorkParts, answered?: AnswerWork): RequestWork {
  const [engineMs = 0, , , , explanation = null] = answered ?? [];
  const totalMs = whole.to - whole.from;
  return {
    totalMs: tenths(totalMs),
    queueMs: tenths(Math.max(0, totalMs - engineMs - modelMs)),
    engineMs: tenths(engineMs),
    modelMs: tenths(modelMs),
    explanation,
    engine: answered === undefined ? null : engine,
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
