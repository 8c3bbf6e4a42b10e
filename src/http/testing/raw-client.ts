// Clients that talk to the server byte by byte or frame by frame, for what ordinary clients never do.
import { connect as connectHttp2, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { connect, type Socket } from 'node:net';

/** A connection and everything it has received so far. */
export interface RawConnection {
  readonly socket: Socket;
  readonly received: () => Buffer;
  /** Resolves to all bytes received when the connection is over. */
  readonly closed: Promise<Buffer>;
}

export function openRaw(port: number, ...pieces: readonly (string | Buffer)[]): RawConnection {
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const received = () => Buffer.concat(chunks);
  const closed = new Promise<Buffer>((resolve) => socket.once('close', () => resolve(received())));
  for (const piece of pieces) socket.write(piece);
  return { socket, received, closed };
}

/** The JSON body of a raw HTTP/1.1 response. */
export function bodyOf(answer: Buffer): unknown {
  const text = answer.toString();
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
}

export interface Http2Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request on a session of its own. */
export async function http2Request(
  url: string,
  {
    headers,
    body,
    ca,
  }: { readonly headers: OutgoingHttpHeaders; readonly body?: string; readonly ca?: string },
): Promise<Http2Answer> {
  const session = connectHttp2(url, ca === undefined ? {} : { ca });
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request(headers);
      let answered: IncomingHttpHeaders = {};
      let text = '';
      stream.setEncoding('utf8');
      stream.on('response', (given) => {
        answered = given;
      });
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('error', reject);
      stream.on('close', () => resolve({ headers: answered, body: text }));
      stream.end(body);
    });
  } finally {
    session.close();
  }
}

const SETTINGS_FRAME = 4;
const HEADERS_FRAME = 1;
const WINDOW_UPDATE_FRAME = 8;
const PING_FRAME = 6;
const END_OF_STREAM_AND_HEADERS = 5;
const INITIAL_WINDOW_SIZE = 4;
const WINDOW_BYTES_MAX = 2 ** 31 - 1;
/** The window of a connection before its first update. */
const WINDOW_BYTES = 65_535;
const INDEXED_GET = 0x82;
const INDEXED_HTTP = 0x86;

/**
 * What begins an HTTP/2 connection and sends one GET. Its windows are as large as can be: only the connection itself
 * keeps the server from sending.
 */
export function http2Get(path: string, headers: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries({ ':path': path, ':authority': 'x', ...headers }).map(literalField);
  const settings = Buffer.alloc(6);
  settings.writeUInt16BE(INITIAL_WINDOW_SIZE);
  settings.writeUInt32BE(WINDOW_BYTES_MAX, 2);
  const window = Buffer.alloc(4);
  window.writeUInt32BE(WINDOW_BYTES_MAX - WINDOW_BYTES);
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame({ type: SETTINGS_FRAME, payload: settings }),
    frame({ type: WINDOW_UPDATE_FRAME, payload: window }),
    frame({
      type: HEADERS_FRAME,
      flags: END_OF_STREAM_AND_HEADERS,
      stream: 1,
      payload: Buffer.concat([Buffer.from([INDEXED_GET, INDEXED_HTTP]), ...fields]),
    }),
  ]);
}

/** A ping of HTTP/2. */
export function http2Ping(): Buffer {
  return frame({ type: PING_FRAME, payload: Buffer.alloc(8) });
}

function frame({
  type,
  flags = 0,
  stream = 0,
  payload,
}: {
  readonly type: number;
  readonly flags?: number;
  readonly stream?: number;
  readonly payload: Buffer;
}): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** By HPACK, without compression; name and value are shorter than 127 bytes. */
function literalField([name, value]: readonly [string, string]): Buffer {
  return Buffer.from(
    `\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`,
  );
}
