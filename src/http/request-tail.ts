// Notes requests for the project that they belong to, as the console shows them: with the reason of a refusal.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RecentRequests } from '../app/monitoring/recent-requests.ts';
import { whenClosed } from './client-gone.ts';

export type RequestTail = Pick<RecentRequests, 'add'>;

const FIRST_ERROR_STATUS = 400;
const REASON_CHARS_MAX = 300;
/** The console's own requests, which would fill its view of the others. */
const OWN = '/console/';

const reasons = new WeakMap<FastifyReply, string>();

/** Keeps the reason of a refusal that only its body tells, for the tail. */
export function noteReason(reply: FastifyReply, payload: unknown): void {
  if (reply.statusCode < FIRST_ERROR_STATUS) return;
  const text = typeof payload === 'string' ? payload : payload instanceof Uint8Array ? textOf(payload) : '';
  const reason = messageIn(text);
  if (reason !== null) reasons.set(reply, reason);
}

/** Notes the request once its response is sent or its client has gone. */
export function noteWhenDone(tail: RequestTail, request: FastifyRequest, reply: FastifyReply): void {
  const startedAt = performance.now();
  whenClosed(reply.raw, () => {
    const route = request.is404 ? null : (request.routeOptions.url ?? null);
    const { refusal } = request;
    const projectId = request.access?.projectId;
    if (projectId === undefined || route === null || route.startsWith(OWN)) return;
    const path = request.routeOptions.config.endpoint?.path ?? route;
    tail.add(projectId, {
      at: new Date().toISOString(),
      method: request.method,
      route: path,
      status: reply.raw.headersSent ? (refusal?.status ?? reply.raw.statusCode) : null,
      reason: (refusal?.message ?? reasons.get(reply))?.slice(0, REASON_CHARS_MAX) ?? null,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      index: request.index?.name ?? null,
      principalId: request.access?.principalId ?? '',
      requestId: request.id,
    });
  });
}

function textOf(payload: Uint8Array): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString();
}

/** Error bodies are `{message}` or `{error: {message}}`. */
function messageIn(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    return messageOf(body) ?? messageOf(memberOf(body, 'error'));
  } catch {
    return null;
  }
}

function messageOf(value: unknown): string | null {
  const message = memberOf(value, 'message');
  return typeof message === 'string' ? message : null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
