// Which requests may have a body.
import type { FastifyRequest } from 'fastify';

/** Decided by the method, not the headers: HTTP/2 bodies may have neither a length nor a type. */
export function mayHaveBody({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}
