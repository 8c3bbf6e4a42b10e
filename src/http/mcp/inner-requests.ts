// Requests that the server makes to itself for a caller. They pass a connection in memory into the same router as all
// others, so that authentication, permissions, limits, the log and metrics are those of every request.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as startRequest,
} from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { URL_BYTES_MAX } from '../../domain/limits.ts';
import type { AnyRequest, AnyResponse } from '../connections/protocol-handlers.ts';

const HEADERS_BYTES_MAX = URL_BYTES_MAX + 16 * 1024;
/** As much as the data plane answers, with a margin for its envelope. */
const ANSWER_BYTES_MAX = 8 * 2 ** 20;

export interface InnerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The address of the caller. */
  readonly address: string;
  readonly signal: AbortSignal;
}

export interface InnerAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface InnerRequestsOptions {
  /** Serves a request as one that came in at the base port. */
  readonly serve: (request: AnyRequest, response: AnyResponse) => void;
  readonly basePort: () => number | undefined;
}

/** Its message says what a language model can ask for instead. */
export class AnswerTooLarge extends Error {
  constructor() {
    super(
      'The answer is too large. Ask for less at once: fewer ids, a lower limit, or only the fields that you need.',
    );
  }
}

export class InnerRequests {
  readonly #server;
  readonly #basePort: InnerRequestsOptions['basePort'];

  constructor({ serve, basePort }: InnerRequestsOptions) {
    this.#basePort = basePort;
    // It listens nowhere.
    this.#server = createServer({ maxHeaderSize: HEADERS_BYTES_MAX }, serve);
  }

  /** @throws AnswerTooLarge; the reason of the signal */
  async ask({ method, path, headers, body, address, signal }: InnerRequest): Promise<InnerAnswer> {
    const [near, far] = duplexPair();
    this.#server.emit('connection', withAddresses(far, address, this.#basePort()));
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const asked = startRequest({
      method,
      path,
      headers: { ...headers, connection: 'close', 'content-length': body?.byteLength ?? 0 },
      createConnection: () => near,
      maxHeaderSize: HEADERS_BYTES_MAX,
      signal,
    });
    asked.once('response', resolve).once('error', reject).end(body);
    try {
      const answer = await promise;
      return { status: answer.statusCode ?? 0, headers: answer.headers, text: await textOf(answer) };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      near.destroy();
      far.destroy();
    }
  }
}

/** What the server reads of a socket. */
function withAddresses(connection: Duplex, remoteAddress: string, localPort: number | undefined): Duplex {
  return Object.assign(connection, { remoteAddress, localPort });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer) {
    bytes += piece.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new AnswerTooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
