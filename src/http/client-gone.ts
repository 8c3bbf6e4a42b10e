// Cancels work whose client has disconnected.
import type { FastifyReply } from 'fastify';
import { clientGone } from '../domain/overload.ts';

/** Aborts when the connection closes before the response is sent. Its reason counts as the caller's error, not the server's. */
export function clientGoneSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(clientGone());
  });
  return controller.signal;
}
