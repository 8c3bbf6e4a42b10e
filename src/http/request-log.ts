// Writes one structured line per request, and decides what it may contain: never keys, bodies or queries.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { destination, type Logger, pino } from 'pino';

export type { Logger };

/** The log goes to standard error. Standard output is for messages to people, such as the first key. */
const STANDARD_ERROR = 2;

export function createLogger(level: string): Logger {
  return pino({ level, base: null }, destination({ dest: STANDARD_ERROR, sync: false }));
}

/** Logs the request once its response is sent or its client has gone. */
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
