// What authentication costs: CPU of a request with a key or a token over the same request without, in one process.
import '../../src/boot/runtime-flags.ts';
import { performance } from 'node:perf_hooks';
import type { ControlEndpoint } from '../../src/api/endpoint.ts';
import type { AdminEndpoint } from '../../src/api/rest/admin/admin-endpoint.ts';
import type { IdentityEndpoint } from '../../src/api/rest/identity/identity-endpoint.ts';
import type { AccessSnapshot } from '../../src/catalog/port.ts';
import { digestOf } from '../../src/domain/administration/credentials.ts';
import { PROJECT_ROLES } from '../../src/domain/administration/roles.ts';
import { startTestServer, type TestServer } from '../../src/http/testing/start-test-server.ts';

const KEYS = 1_000;
const BINDINGS = 10_000;
const ROUNDS = 40;
const ROUND_REQUESTS = 400;
const CALLS = 20_000;
const CREATED_AT = '2026-01-01T00:00:00.000Z';
const SECRET = 'the-secret-of-the-account';

const FACTS = {
  method: 'GET',
  tag: 'Bench',
  summary: 'Nothing',
  since: '2024-04',
  errors: 'standard',
  success: { status: 200, description: 'Done.' },
  faults: [],
  handle: async () => ({ status: 200, body: { fine: true } }),
} as const;
const open: IdentityEndpoint = {
  ...FACTS,
  id: 'open',
  path: '/open',
  permission: null,
  credential: 'none',
  versioning: 'ignored',
  forms: false,
};
const keyed: ControlEndpoint = {
  ...FACTS,
  id: 'keyed',
  path: '/keyed',
  permission: 'control_plane::indexes::list',
};
const admin: AdminEndpoint = {
  ...FACTS,
  id: 'admin',
  path: '/admin/nothing',
  permission: 'admin::projects::create',
  scope: 'organization',
};

/** A hundred projects with ten keys each; keys have one role, service accounts the other nine thousand. */
function bigOrganization(): AccessSnapshot {
  const projects = Array.from({ length: KEYS / 10 }, (_, at) => ({
    id: `project-${at}`,
    organizationId: 'big',
    name: `Project ${at}`,
  }));
  const keys = Array.from({ length: KEYS }, (_, at) => ({
    id: `key-${at}`,
    projectId: `project-${at % projects.length}`,
    sha256: digestOf(`pcsk_key-number-${at}`),
  }));
  const facts = { organizationId: 'big', createdAt: CREATED_AT } as const;
  const ofKeys = keys.map(({ id, projectId }) => ({
    ...facts,
    id: `of-${id}`,
    principal: { type: 'api_key', id } as const,
    resourceType: 'project' as const,
    resourceId: projectId,
    role: 'ProjectEditor' as const,
  }));
  const ofAccounts = Array.from({ length: BINDINGS - KEYS }, (_, at) => ({
    ...facts,
    id: `binding-${at}`,
    principal: { type: 'service_account', id: `account-${at % 90}` } as const,
    resourceType: at < 90 ? ('organization' as const) : ('project' as const),
    resourceId: at < 90 ? 'big' : `project-${Math.floor(at / 90) % projects.length}`,
    role: at < 90 ? ('OrgManager' as const) : (PROJECT_ROLES[at % PROJECT_ROLES.length] ?? 'ProjectViewer'),
  }));
  const serviceAccounts = Array.from({ length: 90 }, (_, at) => ({
    id: `account-${at}`,
    organizationId: 'big',
    clientId: `client-${at}`,
    secretSha256: digestOf(SECRET),
    generation: 1,
  }));
  return { projects, keys, serviceAccounts, users: [], bindings: [...ofKeys, ...ofAccounts] };
}

type Ask = () => Promise<void>;

function asker(server: TestServer, path: string, headers: Readonly<Record<string, string>>): Ask {
  return async () => {
    const answer = await fetch(`${server.base}${path}`, { headers });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    await answer.arrayBuffer();
  };
}

/** CPU of the whole process, client included, in milliseconds a request. */
async function cpuOf(ask: Ask): Promise<number> {
  const before = process.cpuUsage();
  for (let at = 0; at < ROUND_REQUESTS; at += 1) await ask();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / ROUND_REQUESTS;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Microseconds a call. */
async function timed(call: (at: number) => unknown): Promise<number> {
  for (let at = 0; at < CALLS / 10; at += 1) await call(at);
  const start = performance.now();
  for (let at = 0; at < CALLS; at += 1) await call(at);
  return ((performance.now() - start) * 1_000) / CALLS;
}

const server = await startTestServer({ control: [keyed], admin: [admin], identity: [open] });
server.principals.load(bigOrganization());
const { token = '' } = (await server.tokens.exchange({ clientId: 'client-7', clientSecret: SECRET })) ?? {};
const asks = {
  open: asker(server, '/open', {}),
  key: asker(server, '/keyed', { 'api-key': 'pcsk_key-number-777' }),
  token: asker(server, '/admin/nothing', { authorization: `Bearer ${token}` }),
};
for (const ask of Object.values(asks)) await cpuOf(ask);
const rounds: Record<keyof typeof asks, number>[] = [];
for (let at = 0; at < ROUNDS; at += 1) {
  // One after the other within a round, so that what else the machine does meets them alike.
  const round = { open: await cpuOf(asks.open), key: await cpuOf(asks.key), token: await cpuOf(asks.token) };
  rounds.push(round);
}
const added = (kind: 'key' | 'token') => median(rounds.map((round) => round[kind] - round.open)).toFixed(4);
const us = (value: number) => `${value.toFixed(1)} us`;
console.log(`${KEYS} keys, ${BINDINGS} bindings, ${ROUNDS} rounds of ${ROUND_REQUESTS} requests each`);
console.log(
  `a request without a credential   ${median(rounds.map(({ open: each }) => each)).toFixed(4)} ms CPU`,
);
console.log(`an API key adds                  ${added('key')} ms CPU`);
console.log(`an access token adds             ${added('token')} ms CPU`);
console.log(
  `finding a key's holder           ${us(await timed((at) => server.principals.authenticateKey(`pcsk_key-number-${at % KEYS}`)))}`,
);
console.log(
  `refusing an unknown key          ${us(await timed((at) => server.principals.authenticateKey(`pcsk_unknown-${at}`)))}`,
);
console.log(`verifying an access token        ${us(await timed(() => server.tokens.accessOf(token)))}`);
await server.server.stop();
