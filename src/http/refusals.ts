// Final responses for connections and requests that never reach an application, as bytes on the wire.

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { faultBody, faultHeaders } from '../api/fault-body.ts';
import { type Fault, invalid } from '../domain/faults.ts';
import { newRequestId, requestIdHeaders } from './request-id.ts';

/** How long a client may go on sending after the response, so that it can read it. */
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
  endWith(socket, TLS_ALERT);
}

/** For a plaintext client where certificates are set. */
export function refusePlaintext(protocol: 'http1' | 'http2', socket: Socket): void {
  endWith(
    socket,
    protocol === 'http2'
      ? HTTP2_INADEQUATE_SECURITY
      : http1Answer(invalid('This port speaks HTTPS only. Use an https:// address.')),
  );
}

/** Sends a fault on an HTTP/1.1 connection whose request could not be parsed, and closes it. */
export function refuseHttp1(socket: Duplex, fault: Fault): void {
  endWith(socket, http1Answer(fault));
}

/** Sends a fault for a request that was parsed but is not served, after the responses to earlier requests. */
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

function endWith(socket: Duplex, bytes: string | Buffer): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(bytes);
  // Closing with unread input makes the kernel send a reset, which would discard the response.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
