// A server with the subset of S3 that reading needs, which fails on demand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Request {
  readonly method: string;
  readonly path: string;
  readonly range: string | undefined;
  /** The signature. */
  readonly authorization: string | undefined;
}

/** Handles a request; returns true when it has responded or will. */
export type InjectedFault = (requests: S3Request, answer: ServerResponse, count: number) => boolean;

export interface FakeS3 {
  readonly endpoint: string;
  readonly requests: S3Request[];
  fault: InjectedFault | null;
  /** Objects by key. */
  readonly objects: Map<string, Uint8Array>;
  close(): void;
}

const PAGE_KEYS = 2;

/** Starts a server with one bucket, which has every name. */
export async function fakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Uint8Array>();
  const requests: S3Request[] = [];
  const server = createServer((request, answer) => {
    const { range, authorization } = request.headers;
    const one = { method: request.method ?? '', path: request.url ?? '', range, authorization };
    requests.push(one);
    if (fake.fault?.(one, answer, requests.length) === true) return;
    serve(objects, request, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeS3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fault: null,
    objects,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return fake;
}

export function refuse(answer: ServerResponse, status: number, code: string): true {
  answer.writeHead(status, { 'content-type': 'application/xml' });
  answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>injected</Message></Error>`);
  return true;
}

function serve(
  objects: ReadonlyMap<string, Uint8Array>,
  request: IncomingMessage,
  answer: ServerResponse,
): void {
  const url = new URL(request.url ?? '', 'http://s3');
  if (url.searchParams.get('list-type') === '2') {
    list(objects, url.searchParams, answer);
    return;
  }
  const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
  const object = objects.get(key);
  if (object === undefined) {
    refuse(answer, 404, 'NoSuchKey');
    return;
  }
  if (request.headers['if-match'] !== undefined && request.headers['if-match'] !== etag(object)) {
    refuse(answer, 412, 'PreconditionFailed');
    return;
  }
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const part = object.subarray(Number(first), last === '' ? undefined : Number(last) + 1);
  answer.writeHead(206, { 'content-length': part.byteLength, etag: etag(object) }).end(part);
}

function list(
  objects: ReadonlyMap<string, Uint8Array>,
  query: URLSearchParams,
  answer: ServerResponse,
): void {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, PAGE_KEYS);
  const contents = page.map((key) => {
    const object = objects.get(key) ?? new Uint8Array();
    const shown = key.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<Contents><Key>${shown}</Key><Size>${object.byteLength}</Size><ETag>${etag(object)}</ETag></Contents>`;
  });
  const isCut = page.length < keys.length;
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  answer.writeHead(200, { 'content-type': 'application/xml' });
  answer.end(
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
  );
}

function etag(object: Uint8Array): string {
  return `"${object.byteLength}-${object[0] ?? 0}"`;
}
