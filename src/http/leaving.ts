// Tells work that its client has gone: nobody would hear the answer.
import type { FastifyReply } from 'fastify';
import { invalid } from '../domain/faults.ts';

/** Aborted when the connection closes before the answer is sent. The reason is a caller's mistake, not a fault of ours. */
export function leavingOf({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(invalid('The client went before its answer.'));
  });
  return controller.signal;
}
