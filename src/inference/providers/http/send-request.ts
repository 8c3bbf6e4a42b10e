// Sends a request over HTTP that may take as long as its caller waits.
import {
  type AgentOptions,
  Agent as HttpAgent,
  globalAgent as httpAgent,
  type IncomingMessage,
  request as overHttp,
} from 'node:http';
import { Agent as HttpsAgent, globalAgent as httpsAgent, request as overHttps } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { boundConnecting } from '../../../platform/bound-connecting.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** Statuses of responses that have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);
/** By content coding. Some gateways compress although they are asked not to. */
const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
/** Idle connections are closed before common servers do after 5 s, which would fail a request that is sent just then. */
const KEPT = { keepAlive: true, timeout: 4_000 };
/** The common agents know the proxies that Node is told of (`NODE_USE_ENV_PROXY`). The types leave these options out. */
const { options: common } = httpAgent as HttpAgent & { readonly options: AgentOptions };
const HTTP = { send: overHttp, agent: new HttpAgent({ ...common, ...KEPT }) };
const HTTPS = { send: overHttps, agent: new HttpsAgent({ ...httpsAgent.options, ...KEPT }) };
/** For a connection, encryption included. */
const CONNECT_MS = 10_000;

/**
 * Resolves to the response when its headers are there. Unlike `fetch`, it limits only the time for a connection, and
 * not that for the response to five minutes: a model on processors may need longer. It follows no redirects. The body is
 * decoded.
 * @throws Error when no response arrives; the body breaks off with one, too
 */
export async function sendRequest(
  url: string,
  { method, headers, body, signal }: OutgoingRequest,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { send, agent } = new URL(url).protocol === 'https:' ? HTTPS : HTTP;
  const receive = (incoming: IncomingMessage): void => {
    try {
      resolve(responseOf(incoming));
    } catch (error) {
      incoming.destroy();
      reject(error);
    }
  };
  const request = send(url, { agent, method, headers, signal }, receive);
  boundConnecting(request, CONNECT_MS);
  request.on('error', reject);
  // A switch to another protocol (status 101) closes the request without an error.
  request.on('close', () => reject(new Error('The connection was closed without a response')));
  request.end(body);
  return await promise;
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, headersDistinct } = incoming;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  if (!WITHOUT_BODY.has(status)) return new Response(Readable.toWeb(decoded(incoming)), { status, headers });
  incoming.resume();
  return new Response(null, { status, headers });
}

/** The body as it was before it was compressed; as it is for an unknown coding. */
function decoded(incoming: IncomingMessage): Readable {
  const decoder = DECODERS.get(incoming.headers['content-encoding']?.trim().toLowerCase() ?? '')?.();
  // Who reads the decoder learns of errors.
  return decoder === undefined ? incoming : pipeline(incoming, decoder, () => undefined);
}
