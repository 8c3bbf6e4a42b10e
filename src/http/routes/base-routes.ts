// What the families of routes on the base address share: reading a body and sending a response.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reply, StreamedReply } from '../../api/endpoint.ts';
import { fault } from '../../domain/faults.ts';
import { CONTROL_REQUEST_BYTES_MAX } from '../../domain/limits.ts';
import { readmit } from '../access/admission.ts';
import type { AppContext } from '../app.ts';
import type { ByteLease } from '../bodies/byte-budget.ts';
import { isJsonType, type JsonBody, parseJsonBody } from '../bodies/json-body.ts';
import { mayHaveBody } from '../bodies/may-have-body.ts';
import { readBody } from '../bodies/read-body.ts';
import { boundAnswer } from '../bound-answer.ts';
import { isClosed, whenClosed } from '../client-gone.ts';
import { failureOf } from '../failure.ts';

/** What reading a body depends on. */
export interface BodyContext extends Pick<AppContext, 'authenticators' | 'bodies'> {
  /** If absent, the limit of the control plane applies. */
  readonly bodyBytesMax?: number;
  /** The objects and lists that a body may hold; needed where bodies are large. */
  readonly structuresMax?: number;
  /** What the body counts against while it is worked on; if absent, it counts until it has been read. */
  readonly lease?: ByteLease;
}

const NO_BODY: JsonBody = { value: undefined, text: '' };

/** The parts of a family of routes. */
export interface RouteParts<Endpoint, Services> {
  readonly app: FastifyInstance;
  readonly context: AppContext;
  readonly endpoints: readonly Endpoint[];
  readonly services: Services;
}

/** @throws unsupported-media-type, body-not-json, and as readBytes */
export async function readJson(request: FastifyRequest, context: BodyContext): Promise<JsonBody> {
  if (!mayHaveBody(request)) return NO_BODY;
  requireJson(request);
  return parseJsonBody(await readBytes(request, context), context.structuresMax);
}

/** @throws unsupported-media-type */
export function requireJson({ headers }: FastifyRequest): void {
  const type = headers['content-type'];
  if (!isJsonType(type)) throw fault('unsupported-media-type', { type: type ?? '' });
}

/** Checks the caller again once the body has arrived. @throws as readBody and readmit */
export async function readBytes(
  request: FastifyRequest,
  { authenticators, bodies, bodyBytesMax = CONTROL_REQUEST_BYTES_MAX, lease: given }: BodyContext,
): Promise<Uint8Array> {
  const lease = given ?? bodies.lease(request.access);
  try {
    const bytes = await readBody(request.raw, { bytesMax: bodyBytesMax, lease });
    await readmit(authenticators, request);
    return bytes;
  } finally {
    if (given === undefined) lease.end();
  }
}

export function send(reply: FastifyReply, { status, headers, jsonText, body, html }: Reply): FastifyReply {
  const text = html ?? jsonText ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = html === undefined ? 'application/json' : 'text/html';
  if (text !== undefined) reply.type(`${type}; charset=utf-8`);
  return reply
    .code(status)
    .headers(headers ?? {})
    .send(text);
}

/** What sending an answer depends on. */
export type SendContext = Pick<AppContext, 'answerMs' | 'logger'>;

/** Sends an answer that may be streamed. A client may take `answerMs` to read it, or a piece of it. */
export async function sendAny(
  reply: FastifyReply,
  answered: Reply | StreamedReply,
  context: SendContext,
): Promise<FastifyReply> {
  return 'content' in answered ? sendStream(reply, answered, context) : send(reply, answered);
}

/**
 * A failure before the first piece gets an ordinary error response; a later one the last piece that the answer has for
 * it, or it cuts the connection. Pieces are produced as the client reads them, within `answerMs` each. The content
 * generator is closed when the client goes, and after the first piece where only the headers are asked for.
 */
async function sendStream(
  reply: FastifyReply,
  { status, headers, content, failed }: StreamedReply,
  { answerMs, logger }: SendContext,
): Promise<FastifyReply> {
  const pieces = content[Symbol.asyncIterator]();
  const first = await pieces.next();
  async function next(): Promise<IteratorResult<Uint8Array | string>> {
    try {
      return await pieces.next();
    } catch (error) {
      // Nobody is told, and what fails by then has been abandoned.
      if (isClosed(reply.raw)) throw error;
      const fault = failureOf(logger, reply.request, error);
      if (failed === undefined) throw error;
      return { done: false, value: failed(fault) };
    }
  }
  const release = () => void Promise.try(() => pieces.return?.()).catch(() => undefined);
  if (reply.request.method === 'HEAD') {
    release();
    return reply.code(status).headers(headers).send(Readable.from([]));
  }
  async function* all(): AsyncGenerator<Uint8Array | string> {
    for (let piece = first; piece.done !== true; piece = await next()) {
      const late = setTimeout(() => reply.raw.destroy(), answerMs).unref();
      try {
        yield piece.value;
      } finally {
        clearTimeout(late);
      }
    }
    // The last pieces are asked for before they are read.
    boundAnswer(reply, answerMs);
  }
  const stream = Readable.from(all(), { objectMode: false });
  // Not left to the loop above, which may never start.
  stream.once('close', release);
  // Nothing else does where the client of HTTP/2 has left before the first piece: no event follows.
  whenClosed(reply.raw, () => stream.destroy());
  return reply.code(status).headers(headers).send(stream);
}
