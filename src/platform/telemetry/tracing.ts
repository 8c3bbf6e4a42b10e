// Spans of a trace, and the one that the running code works for. Without tracing, the contexts of callers are passed on.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type TraceContext, traceHeaders } from './trace-context.ts';

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** `server`: a request that came; `client`: a request to another server; `internal`: a part of the work. */
export type SpanKind = 'server' | 'client' | 'internal';

export interface SpanStart {
  readonly kind: SpanKind;
  /** The span that it is a part of; null for the first of a trace. */
  readonly parent: TraceContext | null;
  readonly attributes?: Attributes;
  /** Milliseconds on the clock of `performance.now()`; now by default. */
  readonly startedAt?: number;
}

export interface SpanEnd {
  /** Unknown at the start. */
  readonly name?: string;
  readonly attributes?: Attributes;
  /** In a word; absent when the work succeeded. */
  readonly failure?: string;
  /** Milliseconds on the clock of `performance.now()`; now by default. */
  readonly endedAt?: number;
}

export interface Span {
  readonly context: TraceContext;
  /** Ends the span, once. */
  end(how?: SpanEnd): void;
}

export interface Tracing {
  start(name: string, options: SpanStart): Span;
  /** Sends what was recorded, and ends; within seconds, whether or not the receiver answers. */
  close(): Promise<void>;
}

/** A part of the work under way. */
export interface Part extends Pick<SpanStart, 'kind' | 'attributes'> {
  /** Whether what was thrown is a failure of the part; by default all is. */
  readonly isFailure?: (error: unknown) => boolean;
}

interface Work {
  readonly context: TraceContext;
  /** Null where nothing is recorded. */
  readonly tracing: Tracing | null;
}

const works = new AsyncLocalStorage<Work>();

/** Runs `run` as work for a span; all that it calls and awaits belongs to it. */
export function within<Result>(context: TraceContext, tracing: Tracing | null, run: () => Result): Result {
  return works.run({ context, tracing }, run);
}

/** Headers for a request to another server, so that its spans belong to the trace; none outside of one. */
export function outgoingTraceHeaders(): Record<string, string> {
  const work = works.getStore();
  return work === undefined ? {} : traceHeaders(work.context);
}

/** Begins a part of the work under way; null outside of recorded work. */
function startPart(name: string, { kind, attributes }: Part): Span | null {
  const work = works.getStore();
  if (work === undefined || work.tracing === null || !work.context.isSampled) return null;
  return work.tracing.start(name, { kind, parent: work.context, ...(attributes && { attributes }) });
}

/** Records `run` as a part of the work under way; outside of recorded work it only runs. */
export async function recorded<Result>(
  name: string,
  part: Part,
  run: () => Promise<Result>,
): Promise<Result> {
  const span = startPart(name, part);
  if (span === null) return run();
  try {
    const result = await within(span.context, works.getStore()?.tracing ?? null, run);
    span.end();
    return result;
  } catch (error) {
    span.end(endBy(error, part));
    throw error;
  }
}

/** As `recorded`, for work that yields pieces; the part ends with them, or when whoever takes them leaves. */
export async function* recordedPieces<Piece>(
  name: string,
  part: Part,
  run: () => AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  const span = startPart(name, part);
  if (span === null) return yield* run();
  const tracing = works.getStore()?.tracing ?? null;
  // A generator's code runs in the context of whoever takes its next piece.
  const inPart = <Result>(work: () => Result): Result => within(span.context, tracing, work);
  const pieces = inPart(run)[Symbol.asyncIterator]();
  let end: SpanEnd = {};
  try {
    for (;;) {
      const next = await inPart(() => pieces.next());
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    end = endBy(error, part);
    throw error;
  } finally {
    await inPart(() => pieces.return?.());
    span.end(end);
  }
}

/** How a part ends by what was thrown. */
function endBy(error: unknown, { isFailure = () => true }: Part): SpanEnd {
  return isFailure(error) ? { failure: error instanceof Error ? error.name : 'error' } : {};
}
