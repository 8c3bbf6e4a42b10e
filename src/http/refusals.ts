// Short final answers for connections and requests that never reach an application, as bytes on the wire.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { faultBody, faultHeaders } from '../api/fault-body.ts';
import { type Fault, invalid } from '../domain/faults.ts';
import { newRequestId, requestIdHeaders } from './request-id.ts';

/** Clients that keep sending after the last word are heard out this long, so that they can read it. */
const LINGER_MS = 1_000;

/** TLS record: fatal alert, handshake failure. */
const TLS_ALERT = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28]);

/** HTTP/2 frames: empty SETTINGS, then GOAWAY with INADEQUATE_SECURITY. */
const HTTP2_INADEQUATE_SECURITY = Buffer.from([
  ...[0, 0, 0, 4, 0, 0, 0, 0, 0],
  ...[0, 0, 8, 7, 0, 0, 0, 0, 0],
  ...[0, 0, 0, 0, 0, 0, 0, 0x0c],
]);

/** For a TLS client where no certificate is set. */
export function refuseTls(socket: Socket): void {
  sayLast(socket, TLS_ALERT);
}

/** For a plaintext client where certificates are set. */
export function refusePlaintext(protocol: 'http1' | 'http2', socket: Socket): void {
  sayLast(
    socket,
    protocol === 'http2'
      ? HTTP2_INADEQUATE_SECURITY
      : http1Answer(invalid('This port speaks HTTPS only. Use an https:// address.')),
  );
}

/** Answers a fault on an HTTP/1.1 connection whose request could not be read, and closes it. */
export function refuseHttp1(socket: Socket, fault: Fault): void {
  sayLast(socket, http1Answer(fault));
}

/** Answers a fault to a request that was read but goes no further, after those before it. */
export function refuseRequest(response: ServerResponse, fault: Fault): void {
  const { headers, body } = finalAnswer(fault);
  response.writeHead(fault.status, headers).end(body);
}

function finalAnswer(fault: Fault) {
  const body = JSON.stringify(faultBody('standard', fault));
  const headers = {
    ...faultHeaders(fault),
    ...requestIdHeaders(newRequestId()),
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return { headers, body };
}

function http1Answer(fault: Fault): string {
  const { headers, body } = finalAnswer(fault);
  return [
    `HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}

function sayLast(socket: Socket, words: string | Buffer): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(words);
  // Closing with unread input makes the kernel send a reset, which would take the answer with it.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
