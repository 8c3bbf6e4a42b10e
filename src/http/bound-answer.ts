// Bounds how long a client may take to read its response, because the server holds that memory meanwhile.
import { Http2ServerResponse } from 'node:http2';
import type { Readable } from 'node:stream';
import { isClosed, whenClosed } from './client-gone.ts';
import type { AnyResponse } from './connections/protocol-handlers.ts';

interface Replying {
  readonly raw: AnyResponse;
}

/** Cuts the connection unless what is written by now is read within `answerMs`. */
export function boundAnswer({ raw }: Replying, answerMs: number): void {
  if (raw.destroyed || isClosed(raw)) return;
  const timer = setTimeout(() => raw.destroy(), answerMs).unref();
  whenClosed(raw, () => clearTimeout(timer));
}

/**
 * Cuts the connection unless each piece of a source that is piped to the response is read within `answerMs`, and so is
 * what is left at its end. Call it before the source is piped.
 */
export function boundPieces(reply: Replying, source: Readable, answerMs: number): void {
  const { raw } = reply;
  const target = raw instanceof Http2ServerResponse ? raw.stream : raw;
  let late: NodeJS.Timeout | undefined;
  const taken = () => clearTimeout(late);
  // A pipe pauses its source until its target has drained.
  source.on('pause', () => {
    taken();
    // Nothing would end the wait.
    if (target.destroyed || target.closed) return;
    late = setTimeout(() => raw.destroy(), answerMs).unref();
  });
  target.on('drain', taken).once('close', taken);
  source.once('end', () => {
    taken();
    boundAnswer(reply, answerMs);
  });
}
