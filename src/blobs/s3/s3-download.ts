// Reads a blob of S3-compatible storage, and resumes after a broken connection.
import type { Readable } from 'node:stream';
import { BlobMissing, type BlobRange } from '../port.ts';
import { placeOf, type S3Context } from './s3-context.ts';
import { HTTP_NOT_FOUND, HTTP_RANGE_NOT_SATISFIABLE, statusOf, unavailable } from './s3-errors.ts';

export async function* download(
  context: S3Context,
  key: string,
  { first, last }: BlobRange,
): AsyncIterable<Uint8Array> {
  let at = first;
  let etag: string | undefined;
  for (let fruitless = 0; ; ) {
    const opened = await openAt(context, { key, at, last, etag });
    if (opened === null) return;
    etag = opened.etag;
    try {
      for await (const piece of patiently(opened.body, context.limits.idleMs)) {
        at += piece.byteLength;
        fruitless = 0;
        yield piece;
      }
      return;
    } catch (error) {
      fruitless += 1;
      if (fruitless >= context.limits.attemptsMax) throw unavailable('finish the reading of a blob', error);
    } finally {
      opened.body.destroy();
    }
  }
}

interface Opening {
  readonly key: string;
  readonly at: number;
  readonly last: number | undefined;
  /** The resumed read must continue the same content. */
  readonly etag: string | undefined;
}

/** Null when the range begins beyond the end. @throws BlobMissing, BlobsUnavailable */
async function openAt(
  context: S3Context,
  { key, at, last, etag }: Opening,
): Promise<{ readonly body: Readable; readonly etag: string | undefined } | null> {
  if (last !== undefined && at > last) return null;
  const { sdk, client } = context;
  const command = new sdk.GetObjectCommand({
    ...placeOf(context, key),
    ...(at === 0 && last === undefined ? {} : { Range: `bytes=${at}-${last ?? ''}` }),
    ...(etag === undefined ? {} : { IfMatch: etag }),
  });
  try {
    const answer = await client.send(command);
    // The SDK types the body for browsers as well; in Node it is a stream of buffers.
    return { body: answer.Body as Readable, etag: answer.ETag };
  } catch (error) {
    const status = statusOf(error);
    if (status === HTTP_RANGE_NOT_SATISFIABLE) return null;
    if (status === HTTP_NOT_FOUND) throw new BlobMissing(key);
    throw unavailable('read a blob', error);
  }
}

/** Yields the pieces of a body; fails after a longer pause. */
async function* patiently(body: Readable, idleMs: number): AsyncIterable<Buffer> {
  const timer = setTimeout(() => body.destroy(new Error(`no byte came for ${idleMs} ms`)), idleMs);
  try {
    for await (const piece of body) {
      // The time that the reader takes does not count against the server.
      timer.refresh();
      yield piece;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}
