// Tells TLS, plaintext HTTP/2 and HTTP/1.1 apart by the first bytes of a connection, and passes it on intact.
import type { Socket } from 'node:net';

export type Protocol = 'tls' | 'http1' | 'http2';

/** Every TLS connection opens with a handshake record of this type. */
const TLS_HANDSHAKE_RECORD = 0x16;
/** The start of the HTTP/2 connection preface; no HTTP/1.1 method begins with it. */
const HTTP2_PREFACE_START = Buffer.from('PRI ');

/** The protocol that the bytes begin, or undefined while more than one is possible. */
export function protocolOf(start: Uint8Array): Protocol | undefined {
  if (start.length === 0) return undefined;
  if (start[0] === TLS_HANDSHAKE_RECORD) return 'tls';
  const shared = Math.min(start.length, HTTP2_PREFACE_START.length);
  if (HTTP2_PREFACE_START.compare(start, 0, shared, 0, shared) !== 0) return 'http1';
  return shared === HTTP2_PREFACE_START.length ? 'http2' : undefined;
}

/**
 * Reads just enough of a new connection to detect its protocol, puts the bytes back and passes it on.
 * A client that sends nothing within `timeoutMs` is cut off.
 */
export function sniffProtocol(
  socket: Socket,
  timeoutMs: number,
  found: (protocol: Protocol, socket: Socket) => void,
): void {
  let start: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), timeoutMs);
  const stop = () => {
    clearTimeout(timer);
    socket.removeListener('data', read);
  };
  const read = (chunk: Buffer) => {
    start = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
    const protocol = protocolOf(start);
    if (protocol === undefined) return;
    stop();
    socket.pause();
    socket.unshift(start);
    found(protocol, socket);
  };
  // A reset before the protocol is known needs no handling; later ones reach the protocol handlers.
  socket.on('error', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
  socket.on('data', read);
}
