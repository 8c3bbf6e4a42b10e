// Passes a gRPC request and its answer through to another node, with the trailers.
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import { boundPieces } from '../bound-answer.ts';
import { isClosed } from '../client-gone.ts';
import { authorityOf, headersToPass, type Passing } from './send-http.ts';

/** As `sendHttp`. */
export async function sendGrpc(
  passing: Passing,
  session: ClientHttp2Session,
  ending: AbortSignal,
): Promise<void> {
  const { request, reply, path, headers } = passing;
  const { raw } = reply;
  if (!(raw instanceof Http2ServerResponse)) throw new Error('a gRPC request came over HTTP/1.1');
  ending.throwIfAborted();
  const sent = session.request({
    ':method': 'POST',
    ':path': path,
    ':authority': authorityOf(request.headers),
    ...headersToPass(request.headers),
    te: 'trailers',
    ...headers,
  });
  const cut = () => {
    // To a client that is still there, this code would tell that it has cancelled the call itself.
    if (isClosed(raw)) sent.close(constants.NGHTTP2_CANCEL);
    sent.destroy(ending.reason);
  };
  ending.addEventListener('abort', cut);
  try {
    request.raw.pipe(sent);
    await passAnswer(sent, await answerOf(sent), { raw, answerMs: passing.answerMs });
  } finally {
    ending.removeEventListener('abort', cut);
  }
}

interface Answer {
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  /** True where headers are all there is (Trailers-Only). */
  readonly isWhole: boolean;
}

function answerOf(sent: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.once('close', () => reject(new Error('the stream was closed without an answer')));
    sent.once('response', (headers, flags) =>
      resolve({ headers, isWhole: (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0 }),
    );
  });
}

function passAnswer(
  sent: ClientHttp2Stream,
  answer: Answer,
  { raw, answerMs }: { readonly raw: Http2ServerResponse; readonly answerMs: number },
): Promise<void> {
  const { stream } = raw;
  const status = answer.headers[':status'] ?? 0;
  const all = { ...headersToPass(answer.headers), ':status': status };
  if (stream.destroyed || stream.headersSent) return Promise.resolve();
  if (answer.isWhole) {
    stream.respond(all, { endStream: true });
    return Promise.resolve();
  }
  // The response sends them when its stream has ended, which they come before.
  sent.once('trailers', (trailers) => raw.addTrailers(headersToPass(trailers)));
  stream.respond(all, { waitForTrailers: true });
  return new Promise((resolve) => {
    sent.once('close', () => {
      if (sent.rstCode !== constants.NGHTTP2_NO_ERROR && !stream.destroyed) stream.close(sent.rstCode);
      resolve();
    });
    boundPieces({ raw }, sent, answerMs);
    sent.pipe(stream);
  });
}
