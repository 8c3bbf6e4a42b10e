// Tracing over OTLP: spans go to a collector in batches, through the SDK of OpenTelemetry.
import type { Context, Span as SdkSpan } from '@opentelemetry/api';
import {
  BatchSpanProcessor,
  createTraceState,
  OTLPTraceExporter,
  ParentBasedSampler,
  ROOT_CONTEXT,
  type resourceFromAttributes,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  TraceIdRatioBasedSampler,
  TracerProvider,
  trace,
} from './opentelemetry.ts';
import type { TraceContext } from './trace-context.ts';
import type { Span, SpanEnd, SpanStart, Tracing } from './tracing.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
const CLOSE_MS_MAX = 3_000;

export interface OtlpTracingOptions {
  /** The receiver's address without `/v1/traces`. */
  readonly url: string;
  readonly resource: ReturnType<typeof resourceFromAttributes>;
  /** The share of traces that begin here and are recorded, 0 to 1. Those that callers record are recorded, too. */
  readonly share: number;
}

export function otlpTracing({ url, resource, share }: OtlpTracingOptions): Tracing {
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${url}/v1/traces` }) }),
    ],
  });
  const tracer = provider.getTracer('pinyon');
  return {
    start: (name, { kind, parent, attributes = {}, startedAt }: SpanStart): Span => {
      const options = {
        kind: KINDS[kind],
        attributes,
        ...(startedAt !== undefined && { startTime: dateOf(startedAt) }),
      };
      return spanOf(tracer.startSpan(name, options, parentContext(parent)), parent?.state);
    },
    close: () => Promise.race([provider.shutdown(), expired(CLOSE_MS_MAX)]),
  };
}

function spanOf(span: SdkSpan, state: string | undefined): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    context: { traceId, spanId, isSampled, ...(state !== undefined && { state }) },
    end: ({ name, attributes, failure, endedAt }: SpanEnd = {}) => {
      if (name !== undefined) span.updateName(name);
      if (attributes !== undefined) span.setAttributes(attributes);
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end(endedAt === undefined ? undefined : dateOf(endedAt));
    },
  };
}

function parentContext(parent: TraceContext | null): Context {
  if (parent === null) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled, state } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  });
}

/** The SDK takes Unix time as a date, or as milliseconds of one of several clocks that it tells apart by size. */
function dateOf(milliseconds: number): [seconds: number, nanoseconds: number] {
  const at = performance.timeOrigin + milliseconds;
  const seconds = Math.floor(at / 1_000);
  return [seconds, Math.round((at - seconds * 1_000) * 1e6)];
}

function expired(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
