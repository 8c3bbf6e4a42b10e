// Storage that speaks as much of S3 as imports need, and can be made to stand still at a file.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GatedS3 {
  readonly endpoint: string;
  /** By their keys; `listing` stands for the list of them. */
  readonly objects: Map<string, Uint8Array>;
  /** Requests for this key wait from now on; resolves when one does. */
  hold(key: string): Promise<void>;
  /** Answers what waits, and all that comes. */
  release(): void;
  close(): void;
}

export async function openGatedS3(): Promise<GatedS3> {
  const objects = new Map<string, Uint8Array>();
  const waiting: (() => void)[] = [];
  let held: string | null = null;
  let tell: (() => void) | undefined;
  const server = createServer((request, answer) => {
    const url = new URL(request.url ?? '', 'http://s3');
    const isList = url.searchParams.has('list-type');
    const key = isList ? 'listing' : decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    const go = () => (isList ? list(objects, answer) : send(answer, objects.get(key), request.headers.range));
    if (key !== held) return go();
    waiting.push(go);
    tell?.();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    hold: (key) => {
      held = key;
      return new Promise((resolve) => {
        tell = resolve;
      });
    },
    release: () => {
      held = null;
      for (const go of waiting.splice(0)) go();
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function list(objects: ReadonlyMap<string, Uint8Array>, answer: ServerResponse): void {
  const entries = [...objects].map(
    ([key, bytes]) =>
      `<Contents><Key>${key}</Key><Size>${bytes.byteLength}</Size><ETag>${etag(bytes)}</ETag></Contents>`,
  );
  answer.writeHead(200, { 'content-type': 'application/xml' });
  answer.end(
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListBucketResult>`,
  );
}

function send(answer: ServerResponse, bytes: Uint8Array = new Uint8Array(), range = ''): void {
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  const part = bytes.subarray(Number(first), Number(last) + 1);
  answer.writeHead(206, { 'content-length': part.byteLength, etag: etag(bytes) }).end(part);
}

function etag(bytes: Uint8Array): string {
  return `"${bytes.byteLength}-${bytes.at(-2) ?? 0}"`;
}
