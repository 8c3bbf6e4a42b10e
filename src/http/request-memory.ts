// Memory for requests that are worked on, and answers that are made, on the main thread: they share it with all bodies
// and answers.
import type { FastifyReply } from 'fastify';
import { invalid } from '../domain/faults.ts';
import { clientGone } from '../domain/overload.ts';
import type { AppContext } from './app.ts';
import type { ByteLease } from './bodies/byte-budget.ts';
import { isClosed, whenClosed } from './client-gone.ts';

/**
 * Takes memory for an answer while it is made. @param bytes that it has so far
 * @throws invalid-argument for more than there can ever be, and where its client has gone; overloaded
 */
export type HoldAnswer = (bytes: number) => void;

/**
 * Refuses, before the work begins, an answer for which there can never be memory. @param bytes that it has at least
 * @throws invalid-argument
 */
export type ExpectAnswer = (bytes: number) => void;

export interface RequestMemory {
  /** For the body, which then counts as long as the answer does. Nothing needs to end it. */
  readonly lease: ByteLease;
  readonly hold: HoldAnswer;
  readonly expect: ExpectAnswer;
}

/** What is held counts until the client has read its answer or has gone. */
export function requestMemory({ bodies }: Pick<AppContext, 'bodies'>, reply: FastifyReply): RequestMemory {
  const lease = bodies.lease(reply.request.access);
  let bodyBytes = 0;
  whenClosed(reply.raw, lease.end);
  // Nothing would end what is held from then on.
  const refuseGone = () => {
    if (isClosed(reply.raw)) throw clientGone();
  };
  const take = (bytes: number) => {
    refuseGone();
    lease.take(bytes);
    bodyBytes += bytes;
  };
  // No later try would find room: clients must not be told to come again.
  const expect = (bytes: number) => {
    if (bytes > bodies.answerBytesMax) {
      throw invalid(`The answer would exceed ${bodies.answerBytesMax} bytes. Ask for less at once.`);
    }
    if (bodyBytes + bytes > bodies.bytesMax) {
      throw invalid(
        `The request and its answer would exceed ${bodies.bytesMax} bytes together. Ask for less at once.`,
      );
    }
  };
  const hold = (bytes: number) => {
    refuseGone();
    expect(bytes);
    lease.exchange(bodyBytes + bytes);
  };
  return { lease: { ...lease, take }, hold, expect };
}
