// Reads a request body, refusing it as soon as it is known to be too big.
import type { IncomingMessage } from 'node:http';
import { constants, type Http2ServerRequest } from 'node:http2';
import { quoted } from '../../api/quoted.ts';
import { fault, invalid } from '../../domain/faults.ts';
import type { ByteLease } from './byte-budget.ts';

/** A client that is refused while still sending is heard out this long, so that it can read why. */
const LINGER_MS = 2_000;

/** Bounds of one body: its own, and the lease on what all bodies share. */
export interface BodyBounds {
  readonly bytesMax: number;
  readonly lease: ByteLease;
}

/** The whole body in one piece. @throws as bodyPieces */
export async function readBody(request: IncomingMessage, bounds: BodyBounds): Promise<Uint8Array> {
  return Buffer.concat(await readPieces(request, bounds));
}

/**
 * All pieces of the body, as they came. Joining megabytes is left to the thread that reads them: here the
 * garbage of it would cost a collection of 5 to 10 ms every few requests. Not by way of `bodyPieces`: most bodies
 * are one piece, for which the turns of its generators cost more than all else.
 * @throws as bodyPieces
 */
export async function readPieces(
  request: IncomingMessage,
  bounds: BodyBounds,
): Promise<readonly Uint8Array[]> {
  const gauge = gaugeOf(request, bounds);
  // It would tell nothing more, not even that it is closed.
  if (request.destroyed) throw cutOff();
  const pieces: Uint8Array[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const take = (piece: Uint8Array) => {
    try {
      gauge.pass(piece);
      pieces.push(piece);
    } catch (error) {
      reject(error);
    }
  };
  // Also comes after the end.
  const cut = () => request.readableEnded || reject(cutOff());
  request.on('data', take).once('end', resolve).once('close', cut);
  try {
    await promise;
  } finally {
    request.off('data', take).off('end', resolve).off('close', cut);
  }
  gauge.end();
  return pieces;
}

/**
 * The body in the pieces it comes in, for whoever works on them before the last is there.
 * @throws unsupported-encoding; payload-too-large by the declared length before anything is read, else once
 *   `bytesMax` is passed; overloaded when the bodies of all requests together take too much memory
 */
export async function* bodyPieces(request: IncomingMessage, bounds: BodyBounds): AsyncGenerator<Uint8Array> {
  const gauge = gaugeOf(request, bounds);
  for await (const piece of chunksOf(request)) {
    gauge.pass(piece);
    yield piece;
  }
  gauge.end();
}

interface BodyGauge {
  /** To be told of each piece before it is kept. */
  pass(piece: Uint8Array): void;
  /** To be told of the end. */
  end(): void;
}

/** Holds a body to its bounds. */
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
      // HTTP/2 shows a reset stream as an ordinary end; what is there may not pass for the whole.
      if (request.aborted || (declared >= 0 && bytes !== declared)) throw cutOff();
    },
  };
}

/** Nothing is unpacked: a bomb of a few bytes would stand for gigabytes. */
function refuseEncoding(encoding = 'identity'): void {
  if (/^(identity)?$/i.test(encoding)) return;
  throw fault('unsupported-encoding', { encoding: quoted(encoding) });
}

/** Lets a refused request finish sending into the void, and cuts it off when that takes long. */
export function hearOut(request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = length !== undefined || encoding !== undefined || request.httpVersionMajor >= 2;
  if (!hasBody || request.readableEnded || request.destroyed) return;
  const timer = setTimeout(() => cutShort(request), LINGER_MS);
  request.once('end', () => clearTimeout(timer));
  request.once('close', () => clearTimeout(timer));
  // Whoever read it last may have let go of it in this very turn: until the next, the stream would not flow for good.
  setImmediate(() => request.resume());
}

/** HTTP/2 requests live on when they are destroyed, until their client ends them. */
function cutShort(request: IncomingMessage): void {
  if (request.httpVersionMajor < 2) request.destroy();
  else (request as unknown as Http2ServerRequest).stream.close(constants.NGHTTP2_NO_ERROR);
}

async function* chunksOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // Leaving the loop must not destroy the request: the refusal goes out on the same connection.
    yield* request.iterator({ destroyOnReturn: false });
  } catch {
    // Reading fails in one way only: the client went.
    throw cutOff();
  }
}

/** Nobody hears this answer; it keeps an absent client from looking like a fault of the server. */
function cutOff() {
  return invalid('The request body was cut off.');
}
