// The span of each request: under the caller's trace, with queue and engine as its parts. What it tells is what the log
// tells, so it has no keys, bodies or queries either.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { QueryExplanation } from '../domain/query-explain.ts';
import { readTraceContext, type TraceContext } from '../platform/telemetry/trace-context.ts';
import type { Attributes, Span, Tracing } from '../platform/telemetry/tracing.ts';
import { whenClosed } from './client-gone.ts';
import type { RequestWork } from './request-work.ts';

const FIRST_FAILURE = 500;
/** Asked by supervisors every few seconds. */
const UNTRACED = new Set(['/health', '/health/live', '/metrics']);

/**
 * Begins the request's span, which ends when its response is sent or its client has gone.
 * @param tracing null when nothing is recorded here
 * @returns what the work for the request belongs to; null for work outside of any trace
 */
export function traceRequest(
  tracing: Tracing | null,
  request: FastifyRequest,
  reply: FastifyReply,
): TraceContext | null {
  const parent = readTraceContext(request.headers);
  const route = routeOf(request);
  if (tracing === null || UNTRACED.has(route ?? '')) return parent;
  const name = `${request.method} ${route ?? ''}`.trimEnd();
  const span = tracing.start(name, { kind: 'server', parent, attributes: startOf(request, route) });
  if (span.context.isSampled) {
    whenClosed(reply.raw, () => {
      if (request.work !== null) recordWork(tracing, span, request.work);
      endSpan(span, request, reply);
    });
  }
  return span.context;
}

function routeOf(request: FastifyRequest): string | null {
  return request.is404 ? null : (request.routeOptions.url ?? null);
}

/** Named by OpenTelemetry's conventions for HTTP; what they have no name for begins with `pinyon`. */
function startOf(request: FastifyRequest, route: string | null): Attributes {
  return {
    'http.request.method': request.method,
    'http.route': route ?? undefined,
    'url.scheme': request.protocol,
    'server.address': request.hostname,
    'client.address': request.ip,
    'network.protocol.version': request.raw.httpVersion,
    'pinyon.request_id': request.id,
  };
}

function endSpan(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { access, index, refusal, raw } = request;
  const sent = reply.raw.headersSent ? reply.raw.statusCode : undefined;
  const grpcStatus = reply.getHeader('grpc-status');
  const isCutOff = raw.aborted || !reply.raw.writableFinished;
  const status = refusal?.status ?? sent ?? 0;
  const failure = status >= FIRST_FAILURE ? (refusal?.condition ?? String(status)) : undefined;
  span.end({
    ...(failure !== undefined && { failure }),
    attributes: {
      'http.response.status_code': sent,
      'rpc.grpc.status_code': grpcStatus === undefined ? undefined : Number(grpcStatus),
      'http.request.body.size': Number(request.headers['content-length']) || undefined,
      'http.response.body.size': Number(reply.getHeader('content-length')) || undefined,
      'error.type': refusal?.condition ?? failure,
      'pinyon.index': index?.name,
      'pinyon.project_id': access?.projectId,
      'pinyon.principal_id': access?.principalId,
      'pinyon.cut_off': isCutOff || undefined,
    },
  });
}

/** The engine tells only how long its part took, so its wait is drawn before it and the way back is part of the wait. */
function recordWork(
  tracing: Tracing,
  { context }: Span,
  { engine, engineMs, explanation }: RequestWork,
): void {
  if (engine === null) return;
  const parent = context;
  const begunAt = Math.max(engine.from, engine.to - engineMs);
  tracing.start('queue', { kind: 'internal', parent, startedAt: engine.from }).end({ endedAt: begunAt });
  const attributes = explanation === null ? {} : searchAttributes(explanation);
  tracing
    .start('engine', { kind: 'internal', parent, startedAt: begunAt, attributes })
    .end({ endedAt: engine.to });
}

function searchAttributes({
  milliseconds,
  textScoreMax,
  promisedRecall,
  auditedRecall,
  auditedRecallLow,
  auditedRecallHigh,
  ...counters
}: QueryExplanation): Attributes {
  const named = Object.entries({
    ...counters,
    ...(promisedRecall !== null && { promisedRecall }),
    ...(auditedRecall !== null && { auditedRecall }),
    ...(auditedRecallLow !== null && { auditedRecallLow }),
    ...(auditedRecallHigh !== null && { auditedRecallHigh }),
    ...(textScoreMax !== null && { textScoreMax }),
    ...Object.fromEntries(Object.entries(milliseconds).map(([stage, ms]) => [`${stage}Ms`, ms])),
  });
  return Object.fromEntries(named.map(([name, value]) => [`pinyon.search.${snakeCase(name)}`, value]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
