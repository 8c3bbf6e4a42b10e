// A model hub on loopback with one repository, which can interrupt and damage downloads.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeHub {
  readonly url: string;
  /** Path and Range header of each download. */
  readonly downloads: (readonly [path: string, range: string | undefined])[];
  /** Bytes after which the next downloads are interrupted, one number for each; 0 sends nothing. */
  readonly breaks: number[];
  /** Reports the client's progress: a connection is cut only once the client has stored what was sent. */
  arrived(bytes: number): void;
  /** Whether it sends different bytes than it lists. */
  isDamaged: boolean;
  takesRanges: boolean;
  /** Address of another host to which downloads are redirected, as hubs do with large files. */
  sendsTo: string | null;
  close(): void;
}

export const REPOSITORY = 'example/model';
const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** Lists files named `.onnx` as large files, with their SHA-256. */
export async function fakeHub(
  files: Readonly<Record<string, Buffer>>,
  repository = REPOSITORY,
): Promise<FakeHub> {
  let pending: { readonly until: number; readonly break: () => void } | undefined;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === `/api/models/${repository}/revision/main`) {
      response.end(JSON.stringify({ sha: COMMIT }));
      return;
    }
    if (path === `/api/models/${repository}/tree/${COMMIT}?recursive=true`) {
      response.end(JSON.stringify(Object.entries(files).map(([name, bytes]) => listed(name, bytes))));
      return;
    }
    const name = path.replace(`/${repository}/resolve/${COMMIT}/`, '');
    const bytes = files[name];
    if (bytes === undefined) {
      response.writeHead(404).end();
      return;
    }
    hub.downloads.push([name, request.headers.range]);
    if (hub.sendsTo !== null) {
      response.writeHead(302, { location: `${hub.sendsTo}${path}` }).end();
      return;
    }
    const sent = hub.isDamaged ? Buffer.from(bytes).fill(1) : bytes;
    const from = hub.takesRanges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': sent.length - from });
    const end = hub.breaks.shift();
    if (end === undefined) response.end(sent.subarray(from));
    else if (end === 0) response.destroy();
    else {
      response.write(sent.subarray(from, from + end));
      pending = { until: from + end, break: () => response.destroy() };
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hub: FakeHub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    downloads: [],
    breaks: [],
    isDamaged: false,
    takesRanges: true,
    sendsTo: null,
    arrived: (bytes) => {
      if (pending === undefined || bytes < pending.until) return;
      pending.break();
      pending = undefined;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return hub;
}

function listed(path: string, bytes: Buffer): object {
  const oid = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  const large = { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
  return { type: 'file', path, size: bytes.length, oid, ...(path.endsWith('.onnx') ? { lfs: large } : {}) };
}
