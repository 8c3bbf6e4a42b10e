// Starts a real server on free loopback ports, with fakes behind it and its log lines recorded.
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { ControlEndpoint, ControlServices, DataRoute } from '../../api/endpoint.ts';
import type { AdminEndpoint, AdminServices } from '../../api/rest/admin/admin-endpoint.ts';
import type { AssistantEndpoint, AssistantServices } from '../../api/rest/assistants/assistant-endpoint.ts';
import type { ConsoleEndpoint } from '../../api/rest/console/console-endpoint.ts';
import type { IdentityEndpoint } from '../../api/rest/identity/identity-endpoint.ts';
import type { BulkEndpoint, BulkServices } from '../../api/rest/import-export/bulk-endpoint.ts';
import type { InferenceEndpoint } from '../../api/rest/inference/inference-endpoint.ts';
import type { OpenAiEndpoint, OpenAiServices } from '../../api/rest/openai/openai-endpoint.ts';
import { ConsoleSessions } from '../../app/access/console-sessions.ts';
import { Principals } from '../../app/access/principals.ts';
import { OneTimeCodes } from '../../app/access/sign-in-codes.ts';
import { createTokenSigner, type TokenSigner } from '../../app/access/token-signer.ts';
import { Tokens } from '../../app/access/tokens.ts';
import { rememberVerified } from '../../app/access/verified-tokens.ts';
import { WrongCredentials } from '../../app/access/wrong-credentials.ts';
import { readSettings } from '../../boot/read-settings.ts';
import type { Settings } from '../../boot/settings.ts';
import type { AccessSnapshot, Denial, UserStore } from '../../catalog/port.ts';
import { digestOf } from '../../domain/administration/credentials.ts';
import type { InviteAcceptance, People } from '../../domain/administration/identity.ts';
import type { ProviderSignIn } from '../../domain/administration/provider-sign-in.ts';
import type { Index } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { testInference } from '../../inference/testing/test-inference.ts';
import type { Tracing } from '../../platform/telemetry/tracing.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import type { AppContext } from '../app.ts';
import type { TlsFiles } from '../connections/protocol-handlers.ts';
import type { Forwarding } from '../forwarding/forwarding.ts';
import type { RequestTail } from '../request-tail.ts';
import { createServer, type Serving } from '../server.ts';
import type { AdmitBody } from '../write-quotas.ts';
import {
  CREATED_AT,
  controlEndpoint,
  dataEndpoint,
  FakeDirectory,
  FakeExecutor,
  fakeIndex,
} from './fakes.ts';

export const KEY_A = 'pcsk_key-of-project-a';
export const KEY_B = 'pcsk_key-of-project-b';
export const PROJECT_IDS = { a: 'project-a', b: 'project-b' };

export interface TestServerOptions {
  readonly settings?: Partial<Settings>;
  readonly tls?: TlsFiles;
  readonly control?: readonly ControlEndpoint[];
  readonly inference?: readonly InferenceEndpoint[];
  readonly models?: Inference;
  readonly assistant?: readonly AssistantEndpoint[];
  readonly assistantServices?: AssistantServices;
  readonly openai?: readonly OpenAiEndpoint[];
  readonly openaiServices?: OpenAiServices;
  readonly data?: readonly DataRoute[];
  readonly bulk?: readonly BulkEndpoint[];
  readonly bulkServices?: BulkServices;
  readonly admin?: readonly AdminEndpoint[];
  readonly identity?: readonly IdentityEndpoint[];
  readonly console?: readonly ConsoleEndpoint[];
  /** The clock of sessions of the console, and of wrong credentials. */
  readonly now?: () => number;
  readonly invites?: (tokens: Tokens) => InviteAcceptance;
  readonly people?: (tokens: Tokens) => People;
  /** The ids of projects A and B. */
  /** Default 0: any number. */
  readonly wrongCredentialsMax?: number;
  readonly projectIds?: Readonly<Record<'a' | 'b', string>>;
  readonly provider?: ProviderSignIn;
  readonly forwarding?: Forwarding;
  /** By default nothing is counted. */
  readonly admitBody?: AdmitBody;
  /** By default requests within others are not counted. */
  readonly awaitRequest?: AppContext['awaitRequest'];
  /** By default requests are not counted. */
  readonly admitRequest?: AppContext['admitRequest'];
  readonly meter?: Serving['meter'];
  readonly tail?: RequestTail;
  readonly tracing?: Tracing;
  /** Of a node among several, which has begun without principals. */
  readonly catchUp?: (principals: Principals) => Promise<void>;
  /** Of what such a node knows; default 0. */
  readonly ageMs?: () => number;
  readonly monitor?: Serving['monitor'];
  readonly isOperatorKey?: Serving['isOperatorKey'];
}

/** Projects A and B with a key each. */
export function testAccess(projectIds: Readonly<Record<'a' | 'b', string>> = PROJECT_IDS): AccessSnapshot {
  return {
    projects: Object.entries(projectIds).map(([name, id]) => ({ id, organizationId: 'org', name })),
    keys: [
      { id: 'key-a', projectId: projectIds.a, sha256: digestOf(KEY_A) },
      { id: 'key-b', projectId: projectIds.b, sha256: digestOf(KEY_B) },
    ],
    bindings: Object.entries(projectIds).map(([name, resourceId]) => ({
      id: `binding-${name}`,
      organizationId: 'org',
      principal: { type: 'api_key', id: `key-${name}` },
      resourceType: 'project',
      resourceId,
      role: 'ProjectEditor',
      createdAt: CREATED_AT,
    })),
    serviceAccounts: [],
    users: [],
  };
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

/** The signer of test servers, or one of another secret. */
export function testSigner(secret = 0): TokenSigner {
  return createTokenSigner([{ id: 'test', bytes: new Uint8Array(32).fill(secret) }]);
}

const CONTROL = [
  controlEndpoint({ id: 'list_things', method: 'GET', path: '/things' }),
  controlEndpoint({ id: 'list_newer_things', method: 'GET', path: '/newer-things', since: '2026-07' }),
  controlEndpoint({ id: 'create_thing', method: 'POST', path: '/things' }),
  controlEndpoint({ id: 'describe_thing', method: 'GET', path: '/things/{name}' }),
  controlEndpoint({ id: 'delete_thing', method: 'DELETE', path: '/things/{name}' }),
  controlEndpoint({ id: 'break_thing', method: 'POST', path: '/things/broken' }, async () => {
    throw new Error('secret internal detail');
  }),
];
const DATA = [
  dataEndpoint({ id: 'query', method: 'POST', path: '/query' }),
  dataEndpoint({ id: 'fetch', method: 'GET', path: '/vectors/fetch' }),
  dataEndpoint({ id: 'upsert_records', method: 'POST', path: '/records/namespaces/{namespace}/upsert' }),
];

/** Projects A and B have a key each. Index `a-index` of project A is served on `indexPort`. */
export async function startTestServer({
  settings = {},
  tls,
  control = CONTROL,
  inference = [],
  models = testInference(),
  assistant = [],
  assistantServices = untouched<AssistantServices>(),
  openai = [],
  openaiServices = untouched<OpenAiServices>(),
  data = DATA,
  bulk = [],
  bulkServices = untouched<BulkServices>(),
  admin = [],
  identity = [],
  console = [],
  now = Date.now,
  invites = () => untouched<InviteAcceptance>(),
  people = () => untouched<People>(),
  projectIds = PROJECT_IDS,
  wrongCredentialsMax = 0,
  provider,
  forwarding,
  catchUp,
  admitBody,
  awaitRequest,
  admitRequest,
  meter,
  tail,
  tracing,
  ageMs = () => 0,
  monitor,
  isOperatorKey,
}: TestServerOptions = {}) {
  const logLines: string[] = [];
  const sink = new Writable({
    write: (line, _, done) => {
      logLines.push(String(line));
      done();
    },
  });
  const principals = new Principals();
  if (catchUp === undefined) principals.load(testAccess(projectIds));
  const wrongCredentials = new WrongCredentials({ burst: wrongCredentialsMax, now });
  const keys = { wasDeleted: async () => false };
  const tokens = new Tokens(principals, rememberVerified(testSigner()), { wrongCredentials, keys });
  const peopleService = people(tokens);
  const codes = new OneTimeCodes(now);
  const denials: Omit<Denial, 'count'>[] = [];
  const directory = new FakeDirectory();
  const executor = new FakeExecutor();
  const server = createServer({
    settings: { ...readSettings({ PINYON_PORT: '0', PINYON_ALLOWED_HOSTS: '*' }), ...settings },
    release: '1.2.3',
    tls: tls ?? null,
    forwarding,
    ...(catchUp !== undefined && { following: { catchUp: () => catchUp(principals), ageMs } }),
    quietMs: 0,
    ...(tail !== undefined && { tail }),
    ...(tracing !== undefined && { tracing }),
    logger: pino({ level: 'info', base: null }, sink),
    access: {
      authenticators: { principals, tokens },
      denials: { add: (denial) => denials.push(denial) },
      homeOrganizationId: 'org',
      wrongCredentials,
      ...(admitBody !== undefined && { admitBody }),
      ...(awaitRequest !== undefined && { awaitRequest }),
      ...(admitRequest !== undefined && { admitRequest }),
    },
  });
  await server.serve({
    endpoints: { control, inference, assistant, openai, data, admin, identity, console },
    services: {
      control: untouched<ControlServices>(),
      inference: { inference: models },
      assistant: assistantServices,
      openai: openaiServices,
      admin: untouched<AdminServices>(),
      identity: { identities: tokens, invites: invites(tokens), people: peopleService },
      console: {
        ...{ identities: tokens, people: peopleService, codes, provider: provider ?? null, release: '1.2.3' },
        users: untouched<UserStore>(),
      },
    },
    sessions: new ConsoleSessions(principals, { now }),
    bulk: { endpoints: bulk, services: bulkServices },
    executor,
    meter,
    ...(monitor !== undefined && { monitor }),
    ...(isOperatorKey !== undefined && { isOperatorKey }),
    directory,
    aliases: { shared: () => undefined, isAlias: () => false },
  });
  const port = await server.listen();
  const scheme = tls === undefined ? 'http' : 'https';
  /** Serves an index on a free port of its own. */
  const openIndex = async (fields: Parameters<typeof fakeIndex>[0]): Promise<number> => {
    const indexPort = await listenSomewhere((port) => server.ports.listen(port));
    const index: Index = fakeIndex({ ...fields, port: indexPort });
    directory.ports.set(indexPort, index);
    return indexPort;
  };
  const indexPort = await openIndex({ id: 'a-index', projectId: projectIds.a });
  return {
    server,
    forwarding,
    directory,
    executor,
    logLines,
    principals,
    tokens,
    denials,
    codes,
    openIndex,
    port,
    indexPort,
    base: `${scheme}://127.0.0.1:${port}`,
    indexBase: `${scheme}://127.0.0.1:${indexPort}`,
  };
}

/** Listens on a free port, on another one where somebody else took it just now. */
async function listenSomewhere(listen: (port: number) => Promise<unknown>): Promise<number> {
  for (;;) {
    const port = await freePort();
    try {
      await listen(port);
      return port;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
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
