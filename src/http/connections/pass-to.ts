// Hands requests of both protocols to a Fastify application.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { AnyRequest, AnyResponse } from './protocol-handlers.ts';

/** HTTP/2 requests and responses have the HTTP/1.1 shape, which is all that Fastify uses. */
export function passTo(app: FastifyInstance, request: AnyRequest, response: AnyResponse): void {
  app.routing(request as IncomingMessage, response as ServerResponse);
}
