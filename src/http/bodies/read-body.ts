// Reads a request body, and refuses it as soon as it is known to be too large.
import type { IncomingMessage } from 'node:http';
import { constants, Http2ServerRequest } from 'node:http2';
import { Fault, fault, invalid } from '../../domain/faults.ts';
import { HEADER_QUOTED_CHARS_MAX, quoted } from '../../domain/quoted.ts';
import type { ByteLease } from './byte-budget.ts';

/** How long a refused client may go on sending, so that it can read the response. */
const LINGER_MS = 2_000;

/** No client receives this response; it keeps a disconnect from counting as a server error. */
export class BodyCutOff extends Fault {
  constructor() {
    super('invalid-argument', invalid('The request body was cut off.').message);
  }
}

/** Bounds of one body: its own limit, and its lease on the shared budget. */
export interface BodyBounds {
  readonly bytesMax: number;
  readonly lease: ByteLease;
}

/** The whole body in one piece. @throws as bodyPieces */
export async function readBody(request: IncomingMessage, bounds: BodyBounds): Promise<Uint8Array> {
  return Buffer.concat(await readPieces(request, bounds));
}

/**
 * All pieces of the body, as received. Joining megabytes is left to the thread that parses them: here the
 * garbage would cost a collection of 5 to 10 ms every few requests. It does not use `bodyPieces`: most bodies
 * are one piece, for which the microtasks of the generators would cost more than everything else.
 * @throws as bodyPieces
 */
export async function readPieces(
  request: IncomingMessage,
  bounds: BodyBounds,
): Promise<readonly Uint8Array[]> {
  const gauge = gaugeOf(request, bounds);
  // A destroyed request emits no more events, not even close.
  if (request.destroyed) throw new BodyCutOff();
  const pieces: Uint8Array[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const receiving = bounds.lease.receive(reject);
  const take = (piece: Uint8Array) => {
    try {
      gauge.pass(piece);
      pieces.push(piece);
    } catch (error) {
      reject(error);
    }
  };
  // Close also follows the end.
  const cut = () => request.readableEnded || reject(new BodyCutOff());
  request.on('data', take).once('end', resolve).once('close', cut);
  try {
    await promise;
    gauge.end();
  } finally {
    receiving.stop();
    request.off('data', take).off('end', resolve).off('close', cut);
  }
  return pieces;
}

/**
 * The body in pieces as received, for callers that process them before the last one arrives. Where its memory is taken
 * back for another project, the client is cut off: its reader cannot be.
 * @throws unsupported-encoding; payload-too-large by the declared length before anything is read, else once
 *   `bytesMax` is exceeded; overloaded when the bodies of all requests together take too much memory
 */
export async function* bodyPieces(request: IncomingMessage, bounds: BodyBounds): AsyncGenerator<Uint8Array> {
  const gauge = gaugeOf(request, bounds);
  const receiving = bounds.lease.receive(() => cutShort(request));
  try {
    for await (const piece of chunksOf(request)) {
      gauge.pass(piece);
      yield piece;
    }
    gauge.end();
  } finally {
    receiving.stop();
  }
}

interface BodyGauge {
  /** Must be called with each piece before it is kept. */
  pass(piece: Uint8Array): void;
  /** Must be called at the end of the body. */
  end(): void;
}

/** Enforces the bounds of a body. */
function gaugeOf(request: IncomingMessage, { bytesMax, lease }: BodyBounds): BodyGauge {
  refuseEncoding(request.headers['content-encoding']);
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  if (declared > bytesMax) throw fault('payload-too-large', { bytes: bytesMax });
  let bytes = 0;
  return {
    pass: ({ byteLength }) => {
      bytes += byteLength;
      if (bytes > bytesMax) throw fault('payload-too-large', { bytes: bytesMax });
      lease.take(byteLength);
    },
    end: () => {
      // HTTP/2 reports a reset stream as an ordinary end; a truncated body must not pass for the whole.
      if (request.aborted || (declared >= 0 && bytes !== declared)) throw new BodyCutOff();
      // Its memory may have been taken back together with its end.
      lease.take(0);
    },
  };
}

/** Compressed bodies are refused: a few bytes could expand to gigabytes. */
function refuseEncoding(encoding = 'identity'): void {
  if (/^(identity)?$/i.test(encoding)) return;
  throw fault('unsupported-encoding', { encoding: quoted(encoding, HEADER_QUOTED_CHARS_MAX) });
}

/** Discards the rest of a refused request's body, and cuts the client off when it sends for too long. */
export function drainBody(request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = length !== undefined || encoding !== undefined || request.httpVersionMajor >= 2;
  if (!hasBody || request.readableEnded || request.destroyed) return;
  const timer = setTimeout(() => cutShort(request), LINGER_MS);
  request.once('end', () => clearTimeout(timer));
  request.once('close', () => clearTimeout(timer));
  // The last reader may have detached in this very turn; resumed before the next turn, the stream would pause again.
  setImmediate(() => request.resume());
}

/** A destroyed HTTP/2 request stays open until its client ends it, so its stream is closed instead. */
function cutShort(request: IncomingMessage): void {
  if (request instanceof Http2ServerRequest) request.stream.close(constants.NGHTTP2_NO_ERROR);
  else request.destroy();
}

async function* chunksOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // Leaving the loop must not destroy the request: the refusal is sent on the same connection.
    yield* request.iterator({ destroyOnReturn: false });
  } catch {
    // Reading fails for one reason only: the client has gone.
    throw new BodyCutOff();
  }
}
