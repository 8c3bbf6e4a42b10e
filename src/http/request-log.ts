// One structured line per request, and one place that decides what may be in it: never keys, bodies or queries.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { destination, type Logger, pino } from 'pino';

export type { Logger };

/** Lines go to standard error: standard output belongs to the words for a person, the first key among them. */
const STANDARD_ERROR = 2;

export function createLogger(level: string): Logger {
  return pino({ level, base: null }, destination({ dest: STANDARD_ERROR, sync: false }));
}

/** Writes the line once the answer is out or the client is gone. */
export function logWhenDone(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  if (!logger.isLevelEnabled('info')) return;
  const startedAt = performance.now();
  reply.raw.once('close', () => {
    logger.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.is404 ? null : (request.routeOptions.url ?? null),
        status: reply.raw.headersSent ? reply.raw.statusCode : null,
        grpcStatus: reply.getHeader('grpc-status'),
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        principal: request.caller?.principal.id ?? request.access?.principalId,
        index: request.index?.name,
        ...(request.raw.aborted || !reply.raw.writableFinished ? { cutOff: true } : {}),
      },
      'request',
    );
  });
}
