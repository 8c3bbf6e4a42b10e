// Every operation against callers who may not: keys of a foreign project and of a foreign organization, keys and accounts
// without a role, revoked keys, expired and forged tokens. None is answered, and nothing of the victim changes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import type { EndpointDetails } from '../api/endpoint.ts';
import { adminEndpoints } from '../api/rest/admin-endpoints.ts';
import { aliasEndpoints } from '../api/rest/aliases/alias-endpoints.ts';
import { assistantEndpoints } from '../api/rest/assistant-endpoints.ts';
import { consoleEndpoints } from '../api/rest/console-endpoints.ts';
import { controlEndpoints } from '../api/rest/control-endpoints.ts';
import { dataRoutes } from '../api/rest/data-routes.ts';
import { identityEndpoints } from '../api/rest/identity-endpoints.ts';
import { bulkEndpoints } from '../api/rest/import-export/bulk-endpoints.ts';
import { inferenceEndpoints } from '../api/rest/inference-endpoints.ts';
import { openAiEndpoints } from '../api/rest/openai-endpoints.ts';
import { addOwner, defaultProject, newProjectKey } from '../app/access/bootstrap-access.ts';
import { secretsFor, signingKeys } from '../app/access/signing-secrets.ts';
import { createTokenSigner } from '../app/access/token-signer.ts';
import { openIndexLifecycle } from '../app/indexes/index-lifecycle.ts';
import type { Catalog } from '../catalog/port.ts';
import { openCatalog } from '../catalog/sqlite/open-catalog.ts';
import { newId } from '../domain/ids.ts';
import { effort } from '../engine/embedded/testing/effort.ts';
import { testInference } from '../inference/testing/test-inference.ts';
import { boot, type RunningServer } from './boot.ts';
import { openEmbeddedEngine } from './engine/open-engine.ts';
import { openConfiguredBlobs } from './open-configured-blobs.ts';
import { readSettings } from './read-settings.ts';

/** What the OpenAI form admits. */
const KEY_AS_TOKEN = 'a key as a token';
const ATTEMPTS_MIN = effort({ daily: 1_000, long: 100_000 });
const PARALLEL = 8;
const SECRET = 'only-the-victim-knows';
const NAME = 'victim-index';
const ACCESS_AUDIENCE = 'https://api.pinecone.io/';
const KEY = `pcsk_victim_${'0123456789abcdef'.repeat(2)}`;
const OWNER = { clientId: 'victimOwner', clientSecret: 's'.repeat(40) };
const STRANGER = { clientId: 'strangerOwner', clientSecret: 't'.repeat(40) };
const DAY_MS = 86_400_000;
/** Shows callers the refusals of their own requests, which repeat the ids that they asked for. */
const OWN_REQUESTS = '/console/requests';
const VERSIONS = ['2025-10', '2026-04', '2026-07'];

interface Attacker {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: 'key' | 'token';
  /** False for credentials that open nothing at all. */
  readonly isValid: boolean;
}

interface Target {
  readonly endpoint: Pick<EndpointDetails, 'id' | 'method' | 'path' | 'credential'> & {
    readonly body?: unknown;
  };
  readonly base: string;
  readonly kind: Attacker['kind'];
  /** Whether it is about something of the victim's. */
  readonly isAimed: boolean;
}

describe('callers who may not', () => {
  let folder: string;
  let catalog: Catalog;
  let server: RunningServer;
  let base: string;
  let host: string;
  let token: string;
  let attackers: readonly Attacker[];
  const ids: Record<string, string> = {};

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinyon-isolation-'));
    server = await boot({
      settings: readSettings({
        PINYON_PORT: '0',
        PINYON_INDEX_PORTS: '27400-27499',
        PINYON_DATA_DIR: folder,
        PINYON_API_KEY: KEY,
        PINYON_ADMIN_CLIENT_ID: OWNER.clientId,
        PINYON_ADMIN_CLIENT_SECRET: OWNER.clientSecret,
        PINYON_WRONG_CREDENTIALS_MAX: '0',
        PINYON_SEARCH_THREADS: '1',
        PINYON_WRITE_THREADS: '1',
        PINYON_BUILD_THREADS: '1',
        PINYON_DRAIN_SECONDS: '1',
      }),
      logger: pino({ level: 'silent' }),
      endpoints: {
        control: controlEndpoints,
        inference: inferenceEndpoints,
        assistant: assistantEndpoints,
        openai: openAiEndpoints,
        data: dataRoutes,
        admin: adminEndpoints,
        identity: identityEndpoints,
        console: consoleEndpoints,
      },
      openInference: async () => testInference(),
      openCatalog: async () => {
        catalog = await openCatalog({ path: ':memory:' });
        return catalog;
      },
      openBlobs: openConfiguredBlobs,
      openEngine: openEmbeddedEngine,
      openLifecycle: openIndexLifecycle,
    });
    base = `http://localhost:${server.port}`;
    token = await tokenOf(OWNER);
    await makeVictim();
    attackers = await makeAttackers();
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function tokenOf({ clientId, clientSecret }: typeof OWNER): Promise<string> {
    const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const body = new URLSearchParams({ ...fields, audience: ACCESS_AUDIENCE });
    const answer = await fetch(`${base}/oauth/token`, { method: 'POST', body });
    const { access_token: issued } = (await answer.json()) as { readonly access_token: string };
    return issued;
  }

  /** A request of the victim's. */
  async function own(method: string, url: string, body?: unknown): Promise<Record<string, unknown>> {
    const isAdmin = url.includes('/admin/');
    const answer = await fetch(url, {
      method,
      headers: {
        ...(isAdmin ? { authorization: `Bearer ${token}` } : { 'api-key': KEY }),
        'content-type': 'application/json',
        'x-service-api-version': '2026-07',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${url}: ${answer.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }

  async function makeVictim(): Promise<void> {
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
    const index = await own('POST', `${base}/indexes`, { name: NAME, dimension: 2, metric: 'cosine', spec });
    host = String(index.host);
    const record = { id: 'victim', values: [1, 2], metadata: { note: SECRET } };
    await own('POST', `${host}/vectors/upsert`, { vectors: [record], namespace: 'victim' });
    await own('POST', `${base}/assistant/assistants`, { name: 'victim', instructions: SECRET });
    const [organization] = await catalog.administration.organizations.list();
    ids.organization_id = organization?.id ?? '';
    const [project] = await catalog.administration.projects.list(ids.organization_id);
    ids.project_id = project?.id ?? '';
    const { keys, serviceAccounts, bindings } = await catalog.administration.access.snapshot();
    ids.api_key_id = keys[0]?.id ?? '';
    ids.service_account_id = serviceAccounts[0]?.id ?? '';
    ids.role_binding_id = bindings[0]?.id ?? '';
    ids.index_name = NAME;
  }

  /** What the victim sees of everything it has. */
  async function state(): Promise<unknown> {
    const { administration } = catalog;
    const { organization_id: organizationId = '', project_id: projectId = '' } = ids;
    const access = await administration.access.snapshot();
    return {
      indexes: await own('GET', `${base}/indexes`),
      records: await own('GET', `${host}/vectors/fetch?ids=victim&namespace=victim`),
      namespaces: await own('GET', `${host}/namespaces`),
      assistants: await own('GET', `${base}/assistant/assistants/victim`),
      organization: await administration.organizations.find(organizationId),
      projects: (await administration.projects.list(organizationId)).filter(({ id }) => id === projectId),
      keys: access.keys.filter((key) => key.projectId === projectId),
      accounts: access.serviceAccounts.filter((each) => each.organizationId === organizationId),
      bindings: access.bindings.filter(({ resourceId }) => resourceId === projectId),
    };
  }

  async function makeAttackers(): Promise<readonly Attacker[]> {
    const { administration } = catalog;
    const admin = `${base}/admin`;
    const project = await own('POST', `${admin}/projects`, { name: 'neighbor' });
    const [neighbor] = (await administration.projects.list(ids.organization_id ?? '')).filter(
      ({ id }) => id === project.id,
    );
    assert.ok(neighbor !== undefined);
    const by = { type: 'system', id: 'test', requestId: null } as const;
    const organizationId = newId();
    await administration.organizations.create(
      { id: organizationId, name: 'strangers', createdAt: new Date().toISOString() },
      by,
    );
    const strangers = await defaultProject(administration, organizationId);
    await addOwner(administration, organizationId, { name: 'stranger', ...STRANGER });
    const roleless = await own('POST', `${admin}/projects/${ids.project_id}/api-keys`, {
      name: 'roleless',
      roles: [],
    });
    const revoked = await own('POST', `${admin}/projects/${ids.project_id}/api-keys`, { name: 'revoked' });
    await own('DELETE', `${admin}/api-keys/${(revoked.key as { readonly id: string }).id}`);
    const account = await own('POST', `${admin}/service-accounts`, { name: 'roleless', role_bindings: [] });
    const { client_id: clientId } = account.service_account as { readonly client_id: string };
    const idle = await tokenOf({ clientId, clientSecret: String(account.client_secret) });

    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const secrets = secretsFor('token', await signingKeys(administration.signingKeys));
    const expired = await createTokenSigner(secrets, () => Date.now() - DAY_MS).sign('at+jwt', claims, 60);
    const other = secrets.map(({ id }) => ({ id, bytes: new Uint8Array(randomBytes(32)) }));
    const forged = await createTokenSigner(other).sign('at+jwt', claims, 3_600);
    const [head = '', body = '', signature = ''] = token.split('.');
    const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${text({ alg: 'none', typ: 'at+jwt' })}.${body}.`;
    const altered = `${head}.${text({ ...claims, exp: claims.exp + DAY_MS })}.${signature}`;

    const key = (name: string, value: string, isValid: boolean): Attacker => ({
      ...{ name, kind: 'key', isValid },
      headers: { 'api-key': value },
    });
    const bearer = (name: string, value: string, isValid: boolean): Attacker => ({
      ...{ name, kind: 'token', isValid },
      headers: { authorization: `Bearer ${value}` },
    });
    return [
      key('a key of a foreign project', await newProjectKey(administration, neighbor, 'foreign'), true),
      key('a key of a foreign organization', await newProjectKey(administration, strangers, 'foreign'), true),
      key('a key without a role', String(roleless.value), true),
      key('a revoked key', String(revoked.value), false),
      key('a token as a key', token, false),
      bearer('a token of a foreign organization', await tokenOf(STRANGER), true),
      bearer('a token of an account without a role', idle, true),
      bearer('an expired token', expired, false),
      bearer('a token of another signer', forged, false),
      bearer('a token without a signature', unsigned, false),
      bearer('an altered token', altered, false),
      bearer(KEY_AS_TOKEN, KEY, false),
    ];
  }

  function targets(): readonly Target[] {
    const on = (endpoints: readonly Target['endpoint'][], address: string, kind: Attacker['kind']) =>
      endpoints.map((endpoint): Target => {
        return { endpoint, base: address, kind, isAimed: address !== base || endpoint.path.includes('{') };
      });
    const data = [...dataRoutes, ...bulkEndpoints, ...aliasEndpoints];
    const assistants = assistantEndpoints.filter(({ kind }) => kind !== 'link');
    return [
      ...on([...controlEndpoints, ...inferenceEndpoints, ...assistants, ...openAiEndpoints], base, 'key'),
      ...on(data, host, 'key'),
      ...on(data, `${base}/data/${NAME}`, 'key'),
      ...on(adminEndpoints, base, 'token'),
    ];
  }

  async function attempt({ endpoint, base: address, isAimed }: Target, attacker: Attacker, round: number) {
    const { method, path } = endpoint;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'victim');
    const examples = (endpoint.body as { readonly examples?: readonly unknown[] } | undefined)?.examples;
    const hasBody = method !== 'GET' && examples?.[0] !== undefined;
    const answer = await fetch(`${address}${filled}`, {
      method,
      headers: {
        ...attacker.headers,
        'x-service-api-version': VERSIONS[round % VERSIONS.length] ?? '',
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(examples?.[0]) }),
    });
    const text = await answer.text();
    const told = `${attacker.name}: ${method} ${address}${filled}: ${answer.status} ${text.slice(0, 200)}`;
    assert.ok(!text.includes(SECRET) && !text.includes(KEY), told);
    assert.ok(answer.status < 500, told);
    if (!attacker.isValid) assert.equal(answer.status, 401, told);
    else if (isAimed) assert.ok(answer.status >= 400, told);
    else if (answer.ok && path !== OWN_REQUESTS)
      assert.ok(!Object.values(ids).some((id) => text.includes(id)), told);
  }

  it('are never answered, whatever they ask, and change nothing', async (context) => {
    const before = await state();
    const all = targets();
    let attempts = 0;
    for (let round = 0; attempts < ATTEMPTS_MIN; round++) {
      const pairs = all.flatMap((target) =>
        attackers
          .filter(({ kind, isValid }) => kind === target.kind || !isValid)
          .filter(({ name }) => name !== KEY_AS_TOKEN || target.endpoint.credential !== 'bearer-key')
          .map((attacker) => ({ target, attacker })),
      );
      const work = async () => {
        for (let next = pairs.pop(); next !== undefined; next = pairs.pop()) {
          await attempt(next.target, next.attacker, round);
          attempts++;
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, work));
    }
    context.diagnostic(`${attempts} attempts on ${all.length} operations by ${attackers.length} callers`);
    assert.deepEqual(await state(), before);
  });
});
