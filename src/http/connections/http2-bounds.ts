// Bounds in time for HTTP/2, which Node leaves to the application: idle sessions, slow requests, and leaving.
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';

export interface SessionBounds {
  /** Time without any request running; pings do not count, they are no work. */
  readonly idleMs: number;
  /** Time to send a whole request. */
  readonly requestMs: number;
}

/** Watches over one session. `dismiss` tells its client to send nothing new and ends it after what runs. */
export function boundHttp2Session(
  session: ServerHttp2Session,
  { idleMs, requestMs }: SessionBounds,
): { readonly dismiss: () => void } {
  let running = 0;
  const leave = () => {
    if (!session.closed) session.close();
  };
  let idle = setTimeout(leave, idleMs);
  session.on('stream', (stream) => {
    running += 1;
    clearTimeout(idle);
    boundRequest(stream, requestMs);
    stream.once('close', () => {
      running -= 1;
      if (running === 0 && !session.closed) idle = setTimeout(leave, idleMs);
    });
  });
  // Without these a misbehaving peer would raise an uncaught error.
  session.on('error', () => session.destroy());
  session.once('close', () => clearTimeout(idle));
  return { dismiss: leave };
}

function boundRequest(stream: ServerHttp2Stream, requestMs: number): void {
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), requestMs);
  stream.once('end', () => clearTimeout(timer));
  stream.once('close', () => clearTimeout(timer));
  stream.on('error', () => stream.close());
}
