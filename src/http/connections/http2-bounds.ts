// Time bounds for HTTP/2, which Node leaves to the application: idle sessions, slow requests and graceful close.
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import { mayHaveBody } from '../bodies/may-have-body.ts';

export interface SessionBounds {
  /** How long a session may be without a running request; pings do not count. */
  readonly idleMs: number;
  /** How long a client may take to send a whole request, and to read what is left at the end of its session. */
  readonly requestMs: number;
}

/**
 * Bounds one session. `dismiss` sends GOAWAY and ends the session after its running requests.
 * @param socket its connection, which the session hides
 */
export function boundHttp2Session(
  session: ServerHttp2Session,
  socket: Socket,
  { idleMs, requestMs }: SessionBounds,
): { readonly dismiss: () => void } {
  let running = 0;
  let end: NodeJS.Timeout | undefined;
  // Closing waits for all that is written to be read, which a client may never do.
  const cutOff = () => {
    session.destroy();
    socket.destroy();
  };
  const endSoon = () => {
    end ??= setTimeout(cutOff, requestMs).unref();
  };
  const leave = () => {
    if (!session.closed) session.close();
    if (running === 0) endSoon();
  };
  let idle = setTimeout(leave, idleMs);
  session.on('stream', (stream, headers) => {
    running += 1;
    clearTimeout(idle);
    boundRequest(stream, headers, requestMs);
    stream.once('close', () => {
      running -= 1;
      if (running > 0) return;
      if (session.closed) endSoon();
      else idle = setTimeout(leave, idleMs);
    });
  });
  // Without handlers, a misbehaving peer would raise an uncaught error.
  session.on('error', cutOff);
  session.once('close', () => clearTimeout(idle));
  socket.once('close', () => clearTimeout(end));
  return { dismiss: leave };
}

function boundRequest(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, requestMs: number): void {
  stream.on('error', () => stream.close());
  if (stream.endAfterHeaders) return;
  // No handler reads one that has no body, so its end would not be seen.
  if (!mayHaveBody({ method: headers[':method'] })) stream.resume();
  const timer = setTimeout(() => {
    stream.close(constants.NGHTTP2_CANCEL);
    // Closing alone waits until the client has read of it.
    stream.destroy();
  }, requestMs);
  stream.once('end', () => clearTimeout(timer));
  stream.once('close', () => clearTimeout(timer));
}
