// Sessions of the console: what they open, and that neither half of one counts without the other.
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { consoleEndpoints } from '../api/rest/console-endpoints.ts';
import { digestOf } from '../domain/administration/credentials.ts';
import { SESSION_IDLE_SECONDS, SESSION_SECONDS_MAX } from '../domain/administration/limits.ts';
import type { Role } from '../domain/administration/roles.ts';
import { CREATED_AT } from './testing/fakes.ts';
import { KEY_A, KEY_B, startTestServer, type TestServer } from './testing/start-test-server.ts';

const SECOND_MS = 1_000;
const ACCOUNT = { type: 'service_account', id: 'account' } as const;

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly json: Readonly<Record<string, unknown>>;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

describe('a session of the console', () => {
  let server: TestServer;
  let now = Date.now();
  before(async () => {
    server = await startTestServer({ console: consoleEndpoints, now: () => now });
    addAccount('OrgOwner');
  });
  after(() => server.server.stop());

  function addAccount(role: Role): void {
    const account = { ...ACCOUNT, clientId: 'client', organizationId: 'org', generation: 1 };
    server.principals.apply({
      kind: 'service-account',
      account: { ...account, secretSha256: digestOf('secret') },
    });
    server.principals.apply({ kind: 'binding', binding: binding(role) });
  }

  const binding = (role: Role) => ({
    id: 'binding-account',
    organizationId: 'org',
    principal: ACCOUNT,
    resourceType: 'organization' as const,
    resourceId: 'org',
    role,
    createdAt: CREATED_AT,
  });

  function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}, port = server.port) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const asked = request(
      { host: '127.0.0.1', port, path, method, headers: { ...type, ...headers } },
      async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        const json = /json/.test(String(response.headers['content-type'])) ? JSON.parse(text) : {};
        resolve({ status: response.statusCode, headers: response.headers, json });
      },
    );
    asked.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
  }

  async function signIn(body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = await ask('/console/session', { method: 'POST', body, headers });
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
    const [setCookie = ''] = answer.headers['set-cookie'] ?? [];
    const [cookie = ''] = setCookie.split(';');
    return { cookie, setCookie, token: String(answer.json.token), json: answer.json };
  }

  const halves = ({ cookie, token }: { readonly cookie: string; readonly token: string }) => ({
    cookie,
    'x-pinyon-session': token,
  });

  it('opens what its key opens, by its cookie and token together', async () => {
    const session = await signIn({ api_key: KEY_A });
    const { status, json } = await ask('/things', { headers: halves(session) });
    assert.deepEqual([status, json.projectId], [200, 'project-a']);
    assert.equal((await ask('/things', { headers: { cookie: session.cookie } })).status, 401);
    assert.equal((await ask('/things', { headers: { 'x-pinyon-session': session.token } })).status, 401);
    const other = await signIn({ api_key: KEY_B });
    assert.equal(
      (await ask('/things', { headers: halves({ ...session, token: other.token }) })).status,
      401,
      'the token of another session',
    );
  });

  it('reaches the indexes of its project by name, and no others', async () => {
    const headers = halves(await signIn({ api_key: KEY_A }));
    const body = { top_k: 1 };
    assert.equal((await ask('/data/a-index/query', { method: 'POST', headers, body })).status, 200);
    const { access, body: pieces, index } = server.executor.calls.at(-1) ?? {};
    assert.deepEqual([access?.principalId, index?.id], ['key-a', 'a-index']);
    assert.equal(Buffer.concat(pieces ?? []).toString(), JSON.stringify(body));
    const unknown = await ask('/data/none/query', { method: 'POST', headers, body });
    assert.equal(unknown.status, 404);
    const foreign = halves(await signIn({ api_key: KEY_B }));
    const hidden = await ask('/data/a-index/query', { method: 'POST', headers: foreign, body });
    assert.equal(hidden.status, 404);
  });

  it('leaves indexes by name open to API keys', async () => {
    const headers = { 'api-key': KEY_A };
    const fetched = await ask('/data/a-index/vectors/fetch?ids=1&ids=2', { headers });
    assert.equal(fetched.status, 200);
    assert.deepEqual({ ...server.executor.calls.at(-1)?.query }, { ids: ['1', '2'] });
    assert.equal((await ask('/data/a-index/vectors/fetch?ids=1')).status, 401);
  });

  it('does not count at the address of an index', async () => {
    const headers = halves(await signIn({ api_key: KEY_A }));
    const { status } = await ask('/vectors/fetch?ids=1', { headers }, server.indexPort);
    assert.equal(status, 401);
  });

  it('has a cookie that no page reads and no other site sends, named by the port', async () => {
    const { setCookie } = await signIn({ api_key: KEY_A });
    const name = `pinyon-session-${server.port}`;
    assert.match(setCookie, new RegExp(`^${name}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`));
    const behindProxy = await signIn({ api_key: KEY_A }, { 'x-forwarded-proto': 'https' });
    assert.match(behindProxy.setCookie, /^__Host-pinyon-session=.*; HttpOnly; SameSite=Strict; Secure$/);
    assert.equal((await ask('/things', { headers: halves(behindProxy) })).status, 200);
  });

  it('counts only at the host and port where it was opened', async () => {
    const headers = halves(await signIn({ api_key: KEY_A }, { host: 'localhost:1' }));
    assert.equal((await ask('/things', { headers: { ...headers, host: 'localhost:1' } })).status, 200);
    assert.equal((await ask('/things', { headers: { ...headers, host: 'localhost:2' } })).status, 401);
  });

  it('refuses requests that a browser says come from another origin', async () => {
    const headers = halves(await signIn({ api_key: KEY_A }));
    for (const [from, status] of [
      ['cross-site', 401],
      ['same-site', 401],
      ['none', 401],
      ['same-origin', 200],
    ] as const) {
      const answer = await ask('/things', { headers: { ...headers, 'sec-fetch-site': from } });
      assert.equal(answer.status, status, from);
    }
  });

  it('never takes over a cookie that was there before, and ends the session behind it', async () => {
    const planted = `pinyon-session-${server.port}=${'x'.repeat(43)}`;
    const first = await signIn({ api_key: KEY_A }, { cookie: planted });
    assert.notEqual(first.cookie, planted);
    const second = await signIn({ api_key: KEY_A }, { cookie: first.cookie });
    assert.notEqual(second.cookie, first.cookie);
    assert.equal((await ask('/things', { headers: halves(first) })).status, 401);
    assert.equal((await ask('/things', { headers: halves(second) })).status, 200);
  });

  it('ends at the sign-out, which removes the cookie', async () => {
    const headers = halves(await signIn({ api_key: KEY_A }));
    const { status, headers: answered } = await ask('/console/session', { method: 'DELETE', headers });
    assert.equal(status, 204);
    assert.match(String(answered['set-cookie']), /=; Max-Age=0; Path=\//);
    assert.equal((await ask('/console/session', { headers })).status, 401);
  });

  it('ends without use, and after its whole time however much it is used', async () => {
    const idle = halves(await signIn({ api_key: KEY_A }));
    now += (SESSION_IDLE_SECONDS - 1) * SECOND_MS;
    assert.equal((await ask('/things', { headers: idle })).status, 200);
    now += SESSION_IDLE_SECONDS * SECOND_MS;
    assert.equal((await ask('/things', { headers: idle })).status, 401);
    const used = halves(await signIn({ api_key: KEY_A }));
    const statuses: (number | undefined)[] = [];
    for (let seconds = 0; seconds < SESSION_SECONDS_MAX; seconds += SESSION_IDLE_SECONDS / 2) {
      statuses.push((await ask('/things', { headers: used })).status);
      now += (SESSION_IDLE_SECONDS / 2) * SECOND_MS;
    }
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal((await ask('/things', { headers: used })).status, 401);
  });

  it('ends with the key behind it', async () => {
    const key = { id: 'key-short', projectId: 'project-a', sha256: digestOf('pcsk_short') };
    server.principals.apply({ kind: 'key', key });
    const headers = halves(await signIn({ api_key: 'pcsk_short' }));
    assert.equal((await ask('/console/session', { headers })).status, 200);
    server.principals.apply({ kind: 'principal-gone', principal: { type: 'api_key', id: 'key-short' } });
    assert.equal((await ask('/console/session', { headers })).status, 401);
  });

  it('follows the roles of its holder at once, and acts in the project that the request names', async () => {
    const session = await signIn({ client_id: 'client', client_secret: 'secret' });
    const headers = halves(session);
    const inB = { ...headers, 'x-pinyon-project': 'project-b' };
    assert.equal((await ask('/things', { headers })).json.projectId, 'project-a');
    assert.equal((await ask('/things', { headers: inB })).json.projectId, 'project-b');
    const unknown = { ...headers, 'x-pinyon-project': 'project-c' };
    assert.equal((await ask('/things', { headers: unknown })).status, 403);
    server.principals.apply({ kind: 'binding-gone', binding: binding('OrgOwner') });
    server.principals.apply({ kind: 'binding', binding: binding('OrgMember') });
    assert.equal((await ask('/things', { headers })).status, 403);
    const { json } = await ask('/console/session', { headers });
    assert.deepEqual([json.permissions, json.projects], [['admin::organization::read'], []]);
    server.principals.apply({ kind: 'binding', binding: binding('OrgOwner') });
  });

  it('opens by the code of a link once', async () => {
    const code = server.codes.issue({ principal: ACCOUNT, organizationId: 'org' });
    const { json } = await signIn({ code });
    assert.equal(json.user, 'client');
    const again = await ask('/console/session', { method: 'POST', body: { code } });
    assert.equal(again.status, 401);
    assert.match(JSON.stringify(again.json), /link was used already or has expired/);
  });

  it('takes null for a field that is not given', async () => {
    const body = { api_key: KEY_A, code: null, email: null, organization_id: null };
    assert.equal((await ask('/console/session', { method: 'POST', body })).status, 200);
  });

  it('opens by no wrong credential and no mixture of them', async () => {
    const wrong = [{ api_key: 'pcsk_wrong' }, { code: 'x' }, { client_id: 'client', client_secret: 'x' }];
    for (const body of wrong) {
      assert.equal((await ask('/console/session', { method: 'POST', body })).status, 401);
    }
    const mixed = [{}, { api_key: KEY_A, code: 'x' }, { email: 'a@b.example' }, { api_key: 7 }, []];
    for (const body of mixed) {
      const { status } = await ask('/console/session', { method: 'POST', body });
      assert.equal(status, 400, JSON.stringify(body));
    }
    const form = { 'content-type': 'text/plain' };
    const answer = await ask('/console/session', { method: 'POST', body: { api_key: KEY_A }, headers: form });
    assert.equal(answer.status, 415, 'what a form of another site can send');
  });
});
