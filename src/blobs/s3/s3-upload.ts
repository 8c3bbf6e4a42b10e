// Sends content of unknown length to S3-compatible storage: in one request when it is short, else in parts, whole or not at all.
import { createHash } from 'node:crypto';
import { BlobExists } from '../port.ts';
import { inParts } from './in-parts.ts';
import { placeOf, type S3Context } from './s3-context.ts';
import {
  attemptsOf,
  HTTP_NOT_FOUND,
  HTTP_PRECONDITION_FAILED,
  mayLackConditions,
  statusOf,
  unavailable,
} from './s3-errors.ts';

/** Parts sent in parallel and held in memory. */
const PARTS_AT_ONCE = 2;
/** Of one request: several may share a line. */
const SLOWEST_BYTES_PER_SECOND = 16 * 1024;
/** Parts of the initial size; later ones grow, so that ten thousand, the maximum, are enough. */
const PARTS_OF_A_SIZE = 1_000;

export interface Upload {
  readonly key: string;
  readonly content: AsyncIterable<Uint8Array>;
  readonly ifAbsent: boolean;
  readonly signal: AbortSignal | undefined;
}

export async function upload(context: S3Context, requested: Upload): Promise<{ readonly bytes: number }> {
  const sizeOf = (number: number): number =>
    context.limits.partBytes * (1 + Math.floor(number / PARTS_OF_A_SIZE));
  const parts = inParts(requested.content, sizeOf)[Symbol.asyncIterator]();
  try {
    const first = await parts.next();
    const second = first.done === true ? first : await parts.next();
    requested.signal?.throwIfAborted();
    if (second.done === true) return await sendWhole(context, requested, first.value ?? Buffer.alloc(0));
    return await sendParts(context, requested, following([first.value, second.value], parts));
  } finally {
    await parts.return?.(undefined);
  }
}

async function* following(
  begun: readonly (Buffer | undefined)[],
  rest: AsyncIterator<Buffer>,
): AsyncIterable<Buffer> {
  for (const part of begun) if (part !== undefined) yield part;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function sendWhole(
  context: S3Context,
  requested: Upload,
  body: Buffer,
): Promise<{ readonly bytes: number }> {
  const { sdk, client } = context;
  const md5 = createHash('md5').update(body).digest();
  const content = { Body: body, ContentLength: body.byteLength, ContentMD5: md5.toString('base64') };
  const place = placeOf(context, requested.key);
  try {
    await naming(context, requested, (condition) =>
      client.send(
        new sdk.PutObjectCommand({ ...place, ...condition, ...content }),
        sendingOf(context, requested, body.byteLength),
      ),
    );
  } catch (error) {
    requested.signal?.throwIfAborted();
    if (error instanceof BlobExists) throw error;
    if (statusOf(error) !== HTTP_PRECONDITION_FAILED) throw unavailable('store a blob', error);
    // An earlier attempt may have succeeded although its response was lost.
    const isOurs =
      attemptsOf(error) > 1 && (await etagOf(context, requested.key)) === `"${md5.toString('hex')}"`;
    if (!isOurs) throw new BlobExists(requested.key);
  }
  return { bytes: body.byteLength };
}

/**
 * Sends the request that gives a blob its name. Storage that knows no conditions is asked before whether the name is free.
 * @throws BlobExists where it is not; what `send` throws, 412 where the storage itself refuses
 */
async function naming(
  context: S3Context,
  { key, ifAbsent }: Upload,
  send: (condition: { readonly IfNoneMatch?: string }) => Promise<unknown>,
): Promise<void> {
  try {
    await send(ifAbsent ? { IfNoneMatch: '*' } : {});
  } catch (error) {
    if (!ifAbsent || !mayLackConditions(error)) throw error;
    const isTaken = await isThere(context, key).catch(() => {
      // Where that is refused, too, the first answer is the one with a reason.
      throw error;
    });
    if (isTaken) throw new BlobExists(key);
    await send({});
  }
}

async function isThere(context: S3Context, key: string): Promise<boolean> {
  try {
    await etagOf(context, key);
    return true;
  } catch (error) {
    if (statusOf(error) === HTTP_NOT_FOUND) return false;
    throw error;
  }
}

async function etagOf(context: S3Context, key: string): Promise<string | undefined> {
  const { sdk, client } = context;
  return (await client.send(new sdk.HeadObjectCommand(placeOf(context, key)))).ETag;
}

async function sendParts(
  context: S3Context,
  requested: Upload,
  parts: AsyncIterable<Buffer>,
): Promise<{ readonly bytes: number }> {
  const { sdk, client } = context;
  const place = placeOf(context, requested.key);
  const begun = await client
    .send(new sdk.CreateMultipartUploadCommand(place), abortedBy(requested))
    .catch((error: unknown) => {
      throw unavailable('begin a blob', error);
    });
  const target = { ...place, UploadId: begun.UploadId };
  try {
    const { sent, bytes } = await sendEach(context, { ...requested, target }, parts);
    const MultipartUpload = { Parts: [...sent] };
    await naming(context, requested, (condition) =>
      client.send(
        new sdk.CompleteMultipartUploadCommand({ ...target, ...condition, MultipartUpload }),
        abortedBy(requested),
      ),
    ).catch(async (error: unknown) => {
      if (!(await isCompleted(context, { error, sent, key: requested.key }))) throw error;
    });
    return { bytes };
  } catch (error) {
    // The storage's own rule for unfinished uploads removes what cannot be aborted now.
    await client.send(new sdk.AbortMultipartUploadCommand(target)).catch(() => undefined);
    requested.signal?.throwIfAborted();
    if (statusOf(error) === HTTP_PRECONDITION_FAILED) throw new BlobExists(requested.key);
    throw statusOf(error) === undefined ? error : unavailable('store a blob', error);
  }
}

/** True when an earlier attempt completed the upload although its response was lost. */
async function isCompleted(
  context: S3Context,
  { error, sent, key }: { readonly error: unknown; readonly sent: Sent['sent']; readonly key: string },
): Promise<boolean> {
  const status = statusOf(error);
  const isGone = status === HTTP_NOT_FOUND || status === HTTP_PRECONDITION_FAILED;
  if (!isGone || attemptsOf(error) === 1) return false;
  return (await etagOf(context, key).catch(() => undefined)) === etagOfParts(sent);
}

/** The ETag that S3 gives an object of several parts: the MD5 of the parts' MD5s, and their number. */
function etagOfParts(sent: Sent['sent']): string {
  const sums = sent.map(({ ETag = '' }) => Buffer.from(ETag.replaceAll('"', ''), 'hex'));
  return `"${createHash('md5').update(Buffer.concat(sums)).digest('hex')}-${sent.length}"`;
}

interface Target extends Upload {
  readonly target: { Bucket: string; Key: string; UploadId: string | undefined };
}

interface Sent {
  readonly sent: readonly { ETag: string | undefined; PartNumber: number }[];
  readonly bytes: number;
}

async function sendEach(context: S3Context, requested: Target, parts: AsyncIterable<Buffer>): Promise<Sent> {
  const underway: Promise<{ ETag: string | undefined; PartNumber: number }>[] = [];
  let bytes = 0;
  try {
    for await (const part of parts) {
      requested.signal?.throwIfAborted();
      bytes += part.byteLength;
      const sending = sendPart(context, requested, { part, number: underway.length + 1 });
      // Awaited below; until then a failure must not count as unhandled.
      sending.catch(() => undefined);
      underway.push(sending);
      await underway.at(-PARTS_AT_ONCE);
    }
    return { sent: await Promise.all(underway), bytes };
  } catch (error) {
    await Promise.allSettled(underway);
    throw error;
  }
}

async function sendPart(
  context: S3Context,
  requested: Target,
  { part, number }: { readonly part: Buffer; readonly number: number },
): Promise<{ ETag: string | undefined; PartNumber: number }> {
  const { sdk, client } = context;
  const command = new sdk.UploadPartCommand({
    ...requested.target,
    PartNumber: number,
    Body: part,
    ContentLength: part.byteLength,
    ContentMD5: createHash('md5').update(part).digest('base64'),
  });
  try {
    const { ETag } = await client.send(command, sendingOf(context, requested, part.byteLength));
    return { ETag, PartNumber: number };
  } catch (error) {
    throw unavailable('store part of a blob', error);
  }
}

/** A request with content may take as long as the slowest line needs for it. */
function sendingOf(
  { limits }: S3Context,
  requested: Upload,
  bytes: number,
): { readonly abortSignal?: AbortSignal; readonly requestTimeout: number } {
  const sendingMs = Math.ceil((1_000 * bytes) / SLOWEST_BYTES_PER_SECOND);
  return { ...abortedBy(requested), requestTimeout: limits.idleMs + sendingMs };
}

function abortedBy({ signal }: Upload): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}
