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
