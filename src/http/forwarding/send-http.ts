// Passes a request and its answer through to another node, piece by piece: neither is ever held as a whole.

import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { boundConnecting } from '../../platform/bound-connecting.ts';
import { mayHaveBody } from '../bodies/may-have-body.ts';
import { boundPieces } from '../bound-answer.ts';

/** Headers of one connection, not of the message. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'host',
]);

export interface Passing {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly address: string;
  /** As the client requested it. */
  readonly path: string;
  /** Added to those of the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long the client may take to read a piece of the answer. */
  readonly answerMs: number;
  /** Of a request whose body was read already. */
  readonly body?: Uint8Array | undefined;
}

/** Those that concern the message, without pseudo-headers. */
export function headersToPass(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !name.startsWith(':') && !OF_CONNECTION.has(name)) passed[name] = value;
  return passed;
}

/** The name that the client called, in either protocol. */
export function authorityOf({ ':authority': authority, host }: IncomingHttpHeaders): string {
  return String(authority ?? host ?? '');
}

/**
 * Resolves when the answer has been passed on. @throws the connection's error before anything of an answer has come
 * @param ending cuts the request off
 */
export async function sendHttp(
  passing: Passing,
  { agent, connectMs }: { readonly agent: Agent; readonly connectMs: number },
  ending: AbortSignal,
): Promise<void> {
  const { request, address, path, headers, body } = passing;
  const send = address.startsWith('https:') ? httpsRequest : httpRequest;
  ending.throwIfAborted();
  const { 'content-length': length, ...passed } = headersToPass(request.headers);
  // A length without a body would take the first bytes of the next request on the connection for it.
  const bytes = body?.byteLength ?? (mayHaveBody(request) ? length : undefined);
  // The path is never resolved against the address: a client may request http://elsewhere/path.
  const sent = send(new URL(address), {
    agent,
    path,
    method: request.method,
    headers: {
      ...passed,
      ...headers,
      host: authorityOf(request.headers),
      ...(bytes !== undefined && { 'content-length': String(bytes) }),
    },
  });
  boundConnecting(sent, connectMs);
  const cut = () => sent.destroy(ending.reason);
  ending.addEventListener('abort', cut);
  try {
    feed(sent, request, body);
    await passAnswer(await answerOf(sent), passing);
  } finally {
    ending.removeEventListener('abort', cut);
  }
}

function feed(sent: ClientRequest, request: FastifyRequest, body: Uint8Array | undefined): void {
  if (body !== undefined) sent.end(body);
  else if (mayHaveBody(request)) request.raw.pipe(sent);
  else sent.end();
}

function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Stays for errors after the answer, as of a node that refuses a body before its end.
    sent.on('error', reject);
    sent.once('response', resolve);
  });
}

/** An answer that is cut off is cut off for the client, too. */
function passAnswer(answer: IncomingMessage, { reply, answerMs }: Passing): Promise<void> {
  const { raw } = reply;
  raw.writeHead(answer.statusCode ?? 0, headersToPass(answer.headers) satisfies OutgoingHttpHeaders);
  return new Promise((resolve) => {
    answer.once('close', () => {
      if (!answer.complete) raw.destroy();
      resolve();
    });
    answer.on('error', () => undefined);
    boundPieces(reply, answer, answerMs);
    answer.pipe(raw);
  });
}
