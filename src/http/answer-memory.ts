// Memory for answers that are made on the main thread: they share it with all bodies and answers.
import type { FastifyReply } from 'fastify';
import { invalid } from '../domain/faults.ts';
import { clientGone } from '../domain/overload.ts';
import type { AppContext } from './app.ts';
import { isClosed, whenClosed } from './client-gone.ts';

/**
 * Takes memory for an answer while it is made. @param bytes that it has so far
 * @throws invalid-argument for more than any answer may have, and where its client has gone; overloaded
 */
export type HoldAnswer = (bytes: number) => void;

/** What is held counts until the client has read its answer or has gone. */
export function answerMemory({ bodies }: Pick<AppContext, 'bodies'>, reply: FastifyReply): HoldAnswer {
  const lease = bodies.lease(reply.request.access);
  whenClosed(reply.raw, lease.end);
  return (bytes) => {
    // Nothing would end what is held from here on.
    if (isClosed(reply.raw)) throw clientGone();
    if (bytes > bodies.answerBytesMax) {
      throw invalid(`The answer would exceed ${bodies.answerBytesMax} bytes. Ask for less at once.`);
    }
    lease.exchange(bytes);
  };
}
