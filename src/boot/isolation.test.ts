// Every operation of the OpenAPI document, and every tool, against callers who may not: strangers, callers without the
// right, revoked keys, expired and forged tokens. None is answered, and nothing of the victim changes.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { adminEndpoints } from '../api/rest/admin-endpoints.ts';
import { assistantEndpoints } from '../api/rest/assistant-endpoints.ts';
import { consoleEndpoints } from '../api/rest/console-endpoints.ts';
import { controlEndpoints } from '../api/rest/control-endpoints.ts';
import { dataRoutes } from '../api/rest/data-routes.ts';
import { identityEndpoints } from '../api/rest/identity-endpoints.ts';
import { inferenceEndpoints } from '../api/rest/inference-endpoints.ts';
import { openAiEndpoints } from '../api/rest/openai-endpoints.ts';
import { openIndexLifecycle } from '../app/indexes/index-lifecycle.ts';
import type { Catalog } from '../catalog/port.ts';
import { openCatalog } from '../catalog/sqlite/open-catalog.ts';
import { newId } from '../domain/ids.ts';
import { effort } from '../engine/embedded/testing/effort.ts';
import { testInference } from '../inference/testing/test-inference.ts';
import { until } from '../platform/testing/until.ts';
import { boot, type RunningServer } from './boot.ts';
import { openEmbeddedEngine } from './engine/open-engine.ts';
import { openConfiguredBlobs } from './open-configured-blobs.ts';
import { readSettings } from './read-settings.ts';
import { type Caller, isolationCallers } from './testing/isolation-callers.ts';
import { type Credential, isolationTargets, type Target, VICTIM_INDEX } from './testing/isolation-targets.ts';

const ATTEMPTS_MIN = effort({ daily: 1_000, long: 100_000 });
/** Of all pairs, one in so many is tried in a round. */
const SHARE = effort({ daily: 3, long: 1 });
const SHOWN = 20;
const PARALLEL = 8;
const SECRET = 'only-the-victim-knows';
const ACCESS_AUDIENCE = 'https://api.pinecone.io/';
const KEY = `pcsk_victim_${'0123456789abcdef'.repeat(2)}`;
const OWNER = { clientId: 'victimOwner', clientSecret: 's'.repeat(40) };
/** Show callers the refusals of their own requests, which repeat the ids that they asked for. */
const OWN_REFUSALS: ReadonlySet<string> = new Set(['/console/requests', '/admin/audit-log']);
/** Would end the session of the caller. */
const SIGN_OUTS: ReadonlySet<string> = new Set(['sign_out_of_console', 'end_console_sessions']);
const CREDENTIALS: Readonly<Record<Exclude<Caller['kind'], 'session'>, readonly Credential[]>> = {
  key: ['ApiKey'],
  'bearer-key': ['BearerKey'],
  token: ['AccessToken', 'SessionToken'],
};
/** Whatever else is wrong with the request is not told. */
const REFUSALS: ReadonlySet<number> = new Set([403, 404]);
/** Sessions do not count at addresses of indexes, and for metrics. */
const SESSION_REFUSALS: ReadonlySet<number> = new Set([401, ...REFUSALS]);
/** Tells the holder of any key its own project. */
const IDENTITY = 'check_identity';
const VERSIONS = ['2025-10', '2026-04', '2026-07'];

describe('callers who may not', () => {
  let folder: string;
  let catalog: Catalog;
  let server: RunningServer;
  let base: string;
  let host: string;
  let token: string;
  let callers: readonly Caller[];
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
    const { organization_id: organizationId = '', project_id: projectId = '' } = ids;
    callers = await isolationCallers({
      ...{ base, catalog, organizationId, projectId, token, tokenOf, own },
      key: KEY,
    });
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
    const index = await own('POST', `${base}/indexes`, {
      name: VICTIM_INDEX,
      dimension: 2,
      metric: 'cosine',
      spec,
    });
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
    ids.index_name = VICTIM_INDEX;
    await makeWhole();
  }

  /** One of everything else, so that no refusal is for want of it. */
  async function makeWhole(): Promise<void> {
    const backup = await own('POST', `${base}/indexes/${VICTIM_INDEX}/backups`, { name: 'victim' });
    ids.backup_id = String(backup.backup_id);
    await settled(`${base}/backups/${ids.backup_id}`, ({ status }) => status === 'Ready');
    const restored = { name: 'victim-copy' };
    const restore = await own('POST', `${base}/backups/${ids.backup_id}/create-index`, restored);
    ids.job_id = String(restore.restore_job_id);
    await settled(`${base}/restore-jobs/${ids.job_id}`, ({ status }) => status === 'Completed');
    const schedule = await own('POST', `${base}/indexes/${VICTIM_INDEX}/backup-schedules`, {
      name: 'victim',
      schedule: { type: 'time-based', frequency: 'daily' },
      retention: { expire_after_days: 7 },
    });
    ids.schedule_id = String(schedule.schedule_id);
    ids.alias_name = 'victim-alias';
    const alias = { name: ids.alias_name, target_namespace: 'victim' };
    await own('POST', `${host}/namespace-aliases`, alias);
    const exported = await own('POST', `${host}/bulk/exports`, { namespace: 'victim', format: 'jsonl' });
    ids.id = String(exported.id);
    await settled(`${host}/bulk/exports/${ids.id}`, ({ status }) => status === 'Completed');
    const form = new FormData();
    form.append('file', new Blob([SECRET]), 'victim.txt');
    const headers = { 'api-key': KEY, 'x-service-api-version': '2026-07' };
    const file = await fetch(`${base}/assistant/files/victim`, { method: 'POST', headers, body: form });
    const operation = (await file.json()) as Record<string, unknown>;
    ids.assistant_file_id = String(operation.file_id);
    ids.operation_id = String(operation.id);
    const operations = `${base}/assistant/operations/victim`;
    await settled(`${operations}/${ids.operation_id}`, ({ status }) => status === 'Completed');
    const role_bindings = [{ resource_type: 'organization', role: 'OrgMember' }];
    const invite = (email: string) => own('POST', `${base}/admin/invites`, { email, role_bindings });
    ids.invite_id = String((await invite('ada@example.org')).id);
    ids.user_id = newId();
  }

  async function settled(
    url: string,
    isSettled: (answer: Record<string, unknown>) => boolean,
  ): Promise<void> {
    await until(async () => isSettled(await own('GET', url)), url);
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
      backups: await own('GET', `${base}/backups`),
      schedules: await own('GET', `${base}/indexes/${VICTIM_INDEX}/backup-schedules`),
      aliases: await own('GET', `${host}/namespace-aliases`),
      exports: await own('GET', `${host}/bulk/exports`),
      assistants: await own('GET', `${base}/assistant/assistants/victim`),
      files: await own('GET', `${base}/assistant/files/victim`),
      invites: await own('GET', `${base}/admin/invites`),
      organization: await administration.organizations.find(organizationId),
      projects: (await administration.projects.list(organizationId)).filter(({ id }) => id === projectId),
      keys: access.keys.filter((key) => key.projectId === projectId),
      accounts: access.serviceAccounts.filter((each) => each.organizationId === organizationId),
      bindings: access.bindings.filter(({ resourceId }) => resourceId === projectId),
    };
  }

  async function attempt(target: Target, caller: Caller, round: number): Promise<void> {
    const { method, path, base: address, body } = target;
    const isFile = typeof body === 'string';
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: {
        ...caller.headers,
        'x-service-api-version': VERSIONS[round % VERSIONS.length] ?? '',
        ...(body !== undefined && {
          'content-type': isFile ? 'application/octet-stream' : 'application/json',
        }),
      },
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const told = `${caller.name}: ${target.id} ${method} ${address}${path}: ${answer.status} ${text.slice(0, 300)}`;
    assert.ok(!text.includes(SECRET) && !text.includes(KEY), told);
    if (!caller.isValid) assert.equal(answer.status, 401, told);
    else if (isRefusal(target, caller)) assert.ok(refusalsOf(caller).has(answer.status), told);
    else {
      assert.ok(answer.status < 500, told);
      const isAnswered = target.expected === 'tool' ? !isToolError(text) : answer.ok;
      const shown = (id: string) => (OWN_REFUSALS.has(path) ? `"id":"${id}"` : id);
      if (isAnswered) assert.ok(!Object.values(ids).some((id) => text.includes(shown(id))), told);
    }
  }

  it('are never answered, whatever they ask, and change nothing', async (context) => {
    const before = await state();
    const targets = await isolationTargets({ base, host, ids });
    const operations = new Set(targets.map(({ id }) => id));
    let attempts = 0;
    const answered: string[] = [];
    for (let round = 0; attempts < ATTEMPTS_MIN; round++) {
      const pairs = targets
        .flatMap((target) =>
          callers.filter((caller) => mayTry(caller, target)).map((caller) => ({ target, caller })),
        )
        .filter((_, at) => (at + round) % SHARE === 0);
      const work = async () => {
        for (let next = pairs.pop(); next !== undefined; next = pairs.pop()) {
          await attempt(next.target, next.caller, round).catch((error) => answered.push(String(error)));
          attempts++;
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, work));
    }
    context.diagnostic(`${attempts} attempts on ${operations.size} operations by ${callers.length} callers`);
    assert.deepEqual(answered.slice(0, SHOWN), [], `${answered.length} attempts were answered`);
    assert.deepEqual(await state(), before);
  });
});

/** Invalid credentials are tried everywhere; others where they count, and would not be right. */
function mayTry(
  { kind, isValid, headers, rights }: Caller,
  { credentials, permission, id }: Target,
): boolean {
  // The victim's own key, where it may come as a token.
  if (!isValid) return !(credentials.has('BearerKey') && headers.authorization === `Bearer ${KEY}`);
  if (rights !== undefined && id === IDENTITY) return false;
  if (rights !== undefined && rights.size > 0 && (permission === null || rights.has(permission)))
    return false;
  if (kind === 'session') return !SIGN_OUTS.has(id);
  return CREDENTIALS[kind].some((each) => credentials.has(each));
}

function isRefusal({ expected, permission }: Target, { rights }: Caller): boolean {
  if (expected === 'tool') return false;
  return expected === 'refused' || (rights !== undefined && permission !== null);
}

function refusalsOf({ kind }: Caller): ReadonlySet<number> {
  return kind === 'session' ? SESSION_REFUSALS : REFUSALS;
}

function isToolError(text: string): boolean {
  const { result, error } = JSON.parse(text) as {
    readonly result?: { readonly isError?: boolean };
    readonly error?: unknown;
  };
  return error !== undefined || result?.isError === true;
}
