// Starts a real server on free loopback ports, with fakes behind it and its log lines kept for reading.
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Index } from '../../domain/index-model.ts';
import { readSettings, type Settings } from '../../settings.ts';
import type { ControlEndpoint, EndpointFacts } from '../../surfaces/endpoint.ts';
import { hashKey, KeyRing } from '../key-ring.ts';
import { createServer } from '../server.ts';
import type { TlsFiles } from '../tls-files.ts';
import {
  CREATED_AT,
  controlEndpoint,
  dataEndpoint,
  FakeDirectory,
  FakeEngine,
  fakeCatalog,
  fakeIndex,
  noLifecycle,
} from './fakes.ts';

export const KEY_A = 'pcsk_key-of-project-a';
export const KEY_B = 'pcsk_key-of-project-b';

export interface TestServerOptions {
  readonly settings?: Partial<Settings>;
  readonly tls?: TlsFiles;
  readonly control?: readonly ControlEndpoint[];
  readonly data?: readonly EndpointFacts[];
}

const CONTROL = [
  controlEndpoint({ id: 'list_things', method: 'GET', path: '/things' }),
  controlEndpoint({ id: 'create_thing', method: 'POST', path: '/things' }),
  controlEndpoint({ id: 'describe_thing', method: 'GET', path: '/things/{name}' }),
  controlEndpoint({ id: 'delete_thing', method: 'DELETE', path: '/things/{name}' }),
  controlEndpoint({ id: 'break_thing', method: 'POST', path: '/things/broken' }, async () => {
    throw new Error('secret detail of the inside');
  }),
];
const DATA = [
  dataEndpoint({ id: 'query', method: 'POST', path: '/query' }),
  dataEndpoint({ id: 'fetch', method: 'GET', path: '/vectors/fetch' }),
  dataEndpoint({ id: 'upsert_records', method: 'POST', path: '/records/namespaces/{namespace}/upsert' }),
];

/** Projects A and B have a key each; index `a-index` of project A is served on `indexPort`. */
export async function startTestServer({
  settings = {},
  tls,
  control = CONTROL,
  data = DATA,
}: TestServerOptions = {}) {
  const logLines: string[] = [];
  const sink = new Writable({
    write: (line, _, done) => {
      logLines.push(String(line));
      done();
    },
  });
  const keys = new KeyRing();
  keys.replace(
    [
      { id: 'key-a', projectId: 'project-a', name: 'a', sha256: hashKey(KEY_A), createdAt: CREATED_AT },
      { id: 'key-b', projectId: 'project-b', name: 'b', sha256: hashKey(KEY_B), createdAt: CREATED_AT },
    ],
    [
      { id: 'project-a', organizationId: 'org', name: 'a', createdAt: CREATED_AT },
      { id: 'project-b', organizationId: 'org', name: 'b', createdAt: CREATED_AT },
    ],
  );
  const directory = new FakeDirectory();
  const engine = new FakeEngine();
  const server = createServer({
    settings: { ...readSettings({ PINYON_PORT: '0' }), ...settings },
    tls: tls ?? null,
    logger: pino({ level: 'info', base: null }, sink),
    keys,
  });
  await server.serve({
    endpoints: { control, data },
    services: { catalog: fakeCatalog(), indexes: noLifecycle },
    engine,
    directory,
  });
  const port = await server.listen();
  const scheme = tls === undefined ? 'http' : 'https';
  /** Serves an index on a free port of its own. */
  const openIndex = async (facts: Parameters<typeof fakeIndex>[0]): Promise<number> => {
    const indexPort = await freePort();
    await server.ports.listen(indexPort, facts.id);
    const index: Index = fakeIndex({ ...facts, port: indexPort });
    directory.ports.set(indexPort, index);
    return indexPort;
  };
  const indexPort = await openIndex({ id: 'a-index', projectId: 'project-a' });
  return {
    server,
    directory,
    engine,
    logLines,
    openIndex,
    port,
    indexPort,
    base: `${scheme}://127.0.0.1:${port}`,
    indexBase: `${scheme}://127.0.0.1:${indexPort}`,
  };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const { createServer: createListener } = await import('node:net');
  const listener = createListener();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
