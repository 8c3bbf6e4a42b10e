// Memory for answers that endpoints of the base address make on the main thread: they share it with all bodies and answers.
import type { FastifyReply } from 'fastify';
import { invalid } from '../domain/faults.ts';
import type { AppContext } from './app.ts';
import { whenClosed } from './client-gone.ts';

/**
 * Takes memory for an answer while it is made. @param bytes that it has so far
 * @throws invalid-argument for more than any answer may have; overloaded
 */
export type HoldAnswer = (bytes: number) => void;

/** Does the work. What it holds then counts until the client has read the answer or has gone. @throws what it throws */
export async function holdingAnswer<Answer>(
  { bodies }: Pick<AppContext, 'bodies'>,
  reply: FastifyReply,
  work: (hold: HoldAnswer) => Promise<Answer>,
): Promise<Answer> {
  const lease = bodies.lease(reply.request.access);
  try {
    return await work((bytes) => {
      if (bytes > bodies.answerBytesMax) {
        throw invalid(`The answer would exceed ${bodies.answerBytesMax} bytes. Ask for less at once.`);
      }
      lease.exchange(bytes);
    });
  } finally {
    // Not before: a client that has gone by now ends what was held, and nothing would end what is held later.
    whenClosed(reply.raw, lease.end);
  }
}
