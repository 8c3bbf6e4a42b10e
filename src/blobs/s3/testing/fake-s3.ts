// A fake of S3-compatible storage: the part that the blob port uses, with injectable faults.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What happens to a request, or to its response on the way. */
export type S3Fault =
  | { readonly status: number; readonly code?: string }
  /** The request succeeds, but the connection ends before the response. */
  | 'answer-lost'
  | 'hang'
  /** The content arrives corrupted. */
  | 'corrupt'
  /** The body of the response ends or stalls after this many bytes. */
  /** The content is received at this many bytes a second. */
  | { readonly bytesPerSecond: number }
  | { readonly cutAfter: number }
  | { readonly stallAfter: number };

export interface S3Request {
  readonly method: string;
  /** With the query, as in `/bucket/key?uploads=`. */
  readonly url: string;
  /** Whether it stores only where nothing is. */
  readonly isConditional: boolean;
}

interface Stored {
  readonly body: Buffer;
  readonly etag: string;
  readonly modified: Date;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export class FakeS3 {
  readonly objects = new Map<string, Stored>();
  readonly uploads = new Map<string, Map<number, Stored>>();
  readonly requests: S3Request[] = [];
  /** Called for every request; null lets it pass. */
  fault: (request: S3Request) => S3Fault | null = () => null;
  readonly #server: Server;
  #uploadCount = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<FakeS3> {
    const fake = new FakeS3();
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isConditional = request.headers['if-none-match'] !== undefined;
    const details = { method: request.method ?? '', url: request.url ?? '', isConditional };
    this.requests.push(details);
    const fault = this.fault(details);
    const pace =
      fault !== null && typeof fault === 'object' && 'bytesPerSecond' in fault ? fault.bytesPerSecond : null;
    const body = Buffer.concat(await Array.fromAsync(paced(request, pace)));
    if (fault === 'hang') return;
    if (fault !== null && typeof fault === 'object' && 'status' in fault) {
      return send(response, failure(fault.status, fault.code ?? 'Refused'));
    }
    if (fault === 'corrupt') body[0] = (body[0] ?? 0) ^ 1;
    const answer = this.#answer(request, body);
    if (fault === 'answer-lost') request.socket.destroy();
    else if (fault === null || fault === 'corrupt' || 'bytesPerSecond' in fault) send(response, answer);
    else sendPart(response, answer, fault);
  }

  #answer(request: IncomingMessage, body: Buffer): Answer {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://s3');
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'));
    if (
      request.headers['content-md5'] !== undefined &&
      request.headers['content-md5'] !== md5(body, 'base64')
    ) {
      return failure(400, 'BadDigest');
    }
    const uploadId = query.get('uploadId');
    switch (request.method) {
      case 'PUT':
        return uploadId === null
          ? this.#put(key, body, request.headers)
          : this.#putPart(uploadId, Number(query.get('partNumber')), body);
      case 'POST':
        return uploadId === null ? this.#begin() : this.#complete(key, uploadId, request.headers);
      case 'DELETE':
        if (uploadId === null) this.objects.delete(key);
        else this.uploads.delete(uploadId);
        return { status: 204 };
      default:
        return query.has('list-type') ? this.#list(query) : this.#get(key, request.headers);
    }
  }

  #put(key: string, body: Buffer, headers: IncomingMessage['headers']): Answer {
    if (headers['if-none-match'] === '*' && this.objects.has(key)) return failure(412, 'PreconditionFailed');
    const stored = storedOf(body);
    this.objects.set(key, stored);
    return { status: 200, headers: { etag: stored.etag } };
  }

  #begin(): Answer {
    this.#uploadCount += 1;
    const id = `upload-${this.#uploadCount}`;
    this.uploads.set(id, new Map());
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }

  #putPart(id: string, number: number, body: Buffer): Answer {
    const parts = this.uploads.get(id);
    if (parts === undefined) return failure(404, 'NoSuchUpload');
    const stored = storedOf(body);
    parts.set(number, stored);
    return { status: 200, headers: { etag: stored.etag } };
  }

  #complete(key: string, id: string, headers: IncomingMessage['headers']): Answer {
    const parts = this.uploads.get(id);
    if (parts === undefined) return failure(404, 'NoSuchUpload');
    const inOrder = [...parts].sort(([one], [other]) => one - other).map(([, part]) => part);
    const answer = this.#put(key, Buffer.concat(inOrder.map(({ body }) => body)), headers);
    if (answer.status !== 200) return answer;
    this.uploads.delete(id);
    const sums = inOrder.map((part) => Buffer.from(part.etag.replaceAll('"', ''), 'hex'));
    const etag = `"${createHash('md5').update(Buffer.concat(sums)).digest('hex')}-${inOrder.length}"`;
    this.objects.set(key, { ...storedOf(Buffer.concat(inOrder.map(({ body }) => body))), etag });
    return xml(`<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`);
  }

  #get(key: string, headers: IncomingMessage['headers']): Answer {
    const stored = this.objects.get(key);
    if (stored === undefined) return failure(404, 'NoSuchKey');
    if (headers['if-match'] !== undefined && headers['if-match'] !== stored.etag) {
      return failure(412, 'PreconditionFailed');
    }
    const details = { etag: stored.etag, 'last-modified': stored.modified.toUTCString() };
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    if (first === undefined) return { status: 200, headers: details, body: stored.body };
    if (Number(first) >= stored.body.byteLength) return failure(416, 'InvalidRange');
    const end = last === undefined || last === '' ? stored.body.byteLength : Number(last) + 1;
    return { status: 206, headers: details, body: stored.body.subarray(Number(first), end) };
  }

  #list(query: URLSearchParams): Answer {
    const [prefix, after] = [query.get('prefix') ?? '', query.get('start-after') ?? ''];
    const limit = Number(query.get('max-keys') ?? 1_000);
    const found = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const entries = found.slice(0, limit).map((key) => {
      const { body, modified } = this.objects.get(key) ?? storedOf(Buffer.alloc(0));
      return `<Contents><Key>${key}</Key><Size>${body.byteLength}</Size><LastModified>${modified.toISOString()}</LastModified></Contents>`;
    });
    const more = `<IsTruncated>${found.length > limit}</IsTruncated>`;
    return xml(`<ListBucketResult>${more}${entries.join('')}</ListBucketResult>`);
  }
}

async function* paced(request: AsyncIterable<Buffer>, bytesPerSecond: number | null) {
  for await (const piece of request) {
    yield piece;
    if (bytesPerSecond !== null) await pause((1_000 * piece.byteLength) / bytesPerSecond);
  }
}

function storedOf(body: Buffer): Stored {
  return { body, etag: `"${md5(body, 'hex')}"`, modified: new Date() };
}

function md5(body: Buffer, encoding: 'base64' | 'hex'): string {
  return createHash('md5').update(body).digest(encoding);
}

function xml(text: string): Answer {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) };
}

function failure(status: number, code: string): Answer {
  return { ...xml(`<Error><Code>${code}</Code><Message>Injected.</Message></Error>`), status };
}

function send(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': body?.byteLength ?? 0 });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

function sendPart(
  response: ServerResponse,
  { status, headers = {}, body = Buffer.alloc(0) }: Answer,
  fault: { readonly cutAfter: number } | { readonly stallAfter: number },
): void {
  response.writeHead(status, { ...headers, 'content-length': body.byteLength });
  const end = 'cutAfter' in fault ? fault.cutAfter : fault.stallAfter;
  response.write(body.subarray(0, end), () => {
    if ('cutAfter' in fault) response.destroy();
  });
}
