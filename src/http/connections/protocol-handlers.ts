// One shared set of HTTP/1.1, HTTP/2 and TLS handlers for the connections of every port.
import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { fault, invalid } from '../../domain/faults.ts';
import { URL_BYTES_MAX } from '../../domain/limits.ts';
import { refuseHttp1, refusePlaintext, refuseRequest, refuseTls } from '../refusals.ts';
import { boundHttp2Session } from './http2-bounds.ts';
import { sniffProtocol } from './sniff-protocol.ts';

/** All header lines, without the URL. */
const HEADERS_BYTES_MAX = 16 * 1024;
const CONCURRENT_STREAMS_MAX = 256;
/** Bounds the header and stream buffers of a session; Node expects megabytes. */
const SESSION_MEGABYTES_MAX = 64;
const HOST = 'host';
const TLS_VERSION_MIN = 'TLSv1.2';
/** How often HTTP/1.1 connections are checked for being too slow. */
const SLOW_CHECK_MS_MAX = 1_000;

/** Node's HTTP/2 compatibility API gives requests the HTTP/1.1 shape. */
export type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;

/** In PEM format. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface ProtocolOptions {
  readonly tls: TlsFiles | null;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly onRequest: (request: AnyRequest, response: AnyResponse) => void;
  /** A client that can be told no more than that it fails: TLS where there is none, HTTP/2 without it where there is. */
  readonly onWrongProtocol: (protocol: 'tls' | 'http2') => void;
}

export interface ProtocolHandlers {
  /** Takes over a new connection. */
  accept(socket: Socket): void;
  /** Gives new TLS connections another certificate. */
  useTls(files: TlsFiles): void;
  /** Tells HTTP/2 clients to send no further requests. HTTP/1.1 clients learn it from their responses. */
  announceEnd(): void;
  /** Closes idle connections. */
  closeIdle(): void;
}

export function createProtocolHandlers(options: ProtocolOptions): ProtocolHandlers {
  const http1 = http1Handler(options);
  const http2 = http2Handler(options);
  const tls = options.tls === null ? null : tlsHandler(options.tls, { http1, http2, options });
  return {
    accept: (socket) =>
      sniffProtocol(socket, options.headersMs, (protocol) => {
        const isWrong = (protocol === 'tls') !== (tls !== null);
        if (isWrong && protocol !== 'http1') options.onWrongProtocol(protocol);
        if (protocol === 'tls') {
          if (tls === null) refuseTls(socket);
          else tls.emit('connection', socket);
        } else if (tls !== null) refusePlaintext(protocol, socket);
        else if (protocol === 'http2') http2.accept(socket);
        else {
          http1.emit('connection', socket);
          socket.resume();
        }
      }),
    useTls: (files) => tls?.setSecureContext({ ...files, minVersion: TLS_VERSION_MIN }),
    announceEnd: http2.dismiss,
    closeIdle: () => {
      http1.close();
    },
  };
}

function http1Handler({ headersMs, requestMs, keepAliveMs, onRequest }: ProtocolOptions) {
  const server = createHttp1(
    {
      headersTimeout: Math.min(headersMs, requestMs),
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: URL_BYTES_MAX + HEADERS_BYTES_MAX,
      connectionsCheckingInterval: Math.min(SLOW_CHECK_MS_MAX, headersMs / 2),
      // Node's own refusal has neither a body nor a request id.
      requireHostHeader: false,
    },
    (request, response) => {
      if (lacksHost(request)) refuseRequest(response, invalid('The request has no Host header.'));
      else if (hasTwoHosts(request))
        refuseRequest(response, invalid('The request has more than one Host header.'));
      else onRequest(request, response);
    },
  );
  // Node handles 100-continue. Other expectations are ignored, and their requests served as usual.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuseHttp1(socket, unreadable(error.code));
  });
  // The server itself never listens; this event starts its check for slow connections.
  server.emit('listening');
  return server;
}

function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
}

/** A proxy in front may have judged the request by the other one. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === HOST.length && rawHeaders[i]?.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1;
}

function unreadable(code: string | undefined) {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fault('request-timeout');
  if (code === 'HPE_HEADER_OVERFLOW') {
    return fault('headers-too-large', { bytes: URL_BYTES_MAX + HEADERS_BYTES_MAX });
  }
  return invalid('The request is not valid HTTP.');
}

function http2Handler({ requestMs, keepAliveMs, onRequest }: ProtocolOptions) {
  const server = createHttp2({
    maxSessionMemory: SESSION_MEGABYTES_MAX,
    settings: {
      maxConcurrentStreams: CONCURRENT_STREAMS_MAX,
      maxHeaderListSize: URL_BYTES_MAX + HEADERS_BYTES_MAX,
    },
  });
  const dismissals = new Set<() => void>();
  server.on('request', onRequest);
  return {
    accept: (socket: Socket) => {
      // Node makes the session right away, and gives it without its socket.
      server.once('session', (session) => {
        const { dismiss } = boundHttp2Session(session, socket, { requestMs, idleMs: keepAliveMs });
        dismissals.add(dismiss);
        session.once('close', () => dismissals.delete(dismiss));
      });
      server.emit('connection', socket);
    },
    dismiss: () => {
      for (const dismiss of dismissals) dismiss();
    },
  };
}

function tlsHandler(
  files: TlsFiles,
  {
    http1,
    http2,
    options,
  }: {
    readonly http1: ReturnType<typeof http1Handler>;
    readonly http2: ReturnType<typeof http2Handler>;
    readonly options: ProtocolOptions;
  },
) {
  const server = createTls({
    ...files,
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: options.headersMs,
    minVersion: TLS_VERSION_MIN,
  });
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') http2.accept(socket);
    else http1.emit('connection', socket);
  });
  // Node has already told the client by an alert why the handshake failed.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return server;
}
