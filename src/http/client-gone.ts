// Cancels work whose client has disconnected, and releases what it held.
import { constants, Http2ServerResponse } from 'node:http2';
import { clientGone } from '../domain/overload.ts';
import type { AnyResponse } from './connections/protocol-handlers.ts';

/** Aborts when the connection closes before the response is sent. Its reason counts as the caller's error, not the server's. */
export function clientGoneSignal({ raw }: { readonly raw: AnyResponse }): AbortSignal {
  const controller = new AbortController();
  whenClosed(raw, () => {
    if (!isSent(raw)) controller.abort(clientGone());
  });
  return controller.signal;
}

/** True once the response has ended or its client has gone; no event of it follows. */
export function isClosed(raw: AnyResponse): boolean {
  // What HTTP/2 has of a response lacks the property.
  return raw instanceof Http2ServerResponse ? raw.stream.closed : raw.closed;
}

/** What is to be done at the end of each response, in order. */
const endings = new WeakMap<AnyResponse, (() => void)[]>();

/**
 * Does the work once the response has ended or its client has gone, at once where it has already. All works of a response
 * share one listener: with those of Node and of the framework, they would be more than Node takes for a leak.
 */
export function whenClosed(raw: AnyResponse, work: () => void): void {
  const known = endings.get(raw);
  if (isClosed(raw)) work();
  else if (known !== undefined) known.push(work);
  else {
    const works = [work];
    endings.set(raw, works);
    raw.once('close', () => {
      for (const each of works) each();
    });
  }
}

/** Whether the whole response was sent, of one that is closed. */
function isSent(raw: AnyResponse): boolean {
  if (!(raw instanceof Http2ServerResponse)) return raw.writableFinished;
  // A stream that its client has reset counts as finished, too.
  return raw.writableEnded && raw.stream.rstCode === constants.NGHTTP2_NO_ERROR;
}
