// Writes one structured line per request, and decides what it may contain: never keys, bodies or queries.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { whenClosed } from './client-gone.ts';
import { LogBudget } from './log-budget.ts';
import type { RequestWork } from './request-work.ts';

export type { Logger };

/** Of one status; a caller in a loop, or many callers of an overloaded server, would fill the disk. */
const LINES_A_SECOND_MAX = 200;

const budgets = new WeakMap<Logger, LogBudget>();

/** Logs the request once its response is sent or its client has gone. */
export function logWhenDone(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  if (!logger.isLevelEnabled('info')) return;
  const startedAt = performance.now();
  whenClosed(reply.raw, () => {
    const status = reply.raw.headersSent ? reply.raw.statusCode : null;
    if (!budgetOf(logger).take(String(status))) return;
    const { caller, access, index, refusal, work } = request;
    logger.info(
      {
        requestId: request.id,
        traceId: request.trace?.traceId,
        method: request.method,
        route: request.is404 ? null : (request.routeOptions.url ?? null),
        status,
        ...(refusal !== null && { refusal: refusal.condition }),
        grpcStatus: reply.getHeader('grpc-status'),
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        ...(work !== null && partsOf(work)),
        principal: caller?.principal.id ?? access?.principalId,
        project: caller?.project?.access.projectId ?? access?.projectId,
        index: index?.name,
        address: request.ip,
        bytesIn: Number(request.headers['content-length']) || undefined,
        bytesOut: Number(reply.getHeader('content-length')) || undefined,
        ...(request.raw.aborted || !reply.raw.writableFinished ? { cutOff: true } : {}),
      },
      'request',
    );
  });
}

function partsOf({ queueMs, engineMs, modelMs }: RequestWork) {
  return { queueMs, engineMs, ...(modelMs > 0 && { modelMs }) };
}

function budgetOf(logger: Logger): LogBudget {
  const known = budgets.get(logger);
  if (known !== undefined) return known;
  const budget = new LogBudget(LINES_A_SECOND_MAX, (skipped) =>
    logger.warn({ skipped: Object.fromEntries(skipped) }, 'requests without a line of their own, by status'),
  );
  budgets.set(logger, budget);
  return budget;
}
