// Guarantees of the identity API: token exchange, login, identity check and the link of an invite.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { identityEndpoints } from '../../api/rest/identity-endpoints.ts';
import { addOwner, bootstrapAccess } from '../../app/access/bootstrap-access.ts';
import { InviteService } from '../../app/access/invite-service.ts';
import type { Catalog } from '../../catalog/port.ts';
import { SYSTEM } from '../../domain/administration/audit.ts';
import { newId } from '../../domain/ids.ts';
import { memoryCatalog } from '../testing/fakes.ts';
import { KEY_A, startTestServer, type TestServer, testAccess } from '../testing/start-test-server.ts';

const OWNER = { clientId: 'owner', clientSecret: 'the-secret-of-the-owner' };
const AUDIENCE = 'https://api.pinecone.io/';
const GRANT = {
  client_id: OWNER.clientId,
  client_secret: OWNER.clientSecret,
  grant_type: 'client_credentials',
  audience: AUDIENCE,
};
const KEY = 'a-preset-key-of-the-project';
const IDENTITY = {
  user: 'key-a',
  project_id: 'project-a',
  project_name: 'a',
  workspace_name: null,
  org_id: null,
};

let server: TestServer;
let catalog: Catalog;
let service: InviteService;
let organizationId: string;

before(async () => {
  catalog = await memoryCatalog();
  const { administration } = catalog;
  ({ organizationId } = await bootstrapAccess(catalog, {
    apiKey: KEY,
    adminClientId: null,
    adminClientSecret: null,
  }));
  await addOwner(administration, organizationId, { ...OWNER, name: 'owner' });
  server = await startTestServer({
    settings: { drainSeconds: 1, requireVersionHeader: true },
    identity: identityEndpoints,
    invites: (tokens) => {
      service = new InviteService({
        invites: administration.invites,
        tokens,
        secrets: [{ id: 'test', bytes: new Uint8Array(32) }],
        baseUrl: () => 'http://base',
        mail: null,
        onFailure: (error) => assert.fail(String(error)),
      });
      return service;
    },
  });
  administration.access.onChange((change) => server.principals.apply(change));
  const [own, stored] = [testAccess(), await administration.access.snapshot()];
  server.principals.load({
    projects: [...own.projects, ...stored.projects],
    keys: [...own.keys, ...stored.keys],
    bindings: [...own.bindings, ...stored.bindings],
    serviceAccounts: stored.serviceAccounts,
    users: stored.users,
  });
});
after(async () => {
  await server.server.stop();
  await catalog.close();
});

interface Wanted {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>> | string;
}

async function ask(method: string, path: string, { headers = {}, json, form }: Wanted = {}) {
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const body = form === undefined ? JSON.stringify(json) : new URLSearchParams(form);
  const answer = await fetch(`${server.base}${path}`, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

describe('the token exchange', () => {
  test('takes JSON and forms, with any version header or none', async () => {
    for (const request of [{ json: GRANT }, { form: GRANT }]) {
      for (const headers of [
        {},
        { 'x-pinecone-api-version': '2026-07' },
        { 'x-pinecone-api-version': 'odd' },
      ] as const) {
        const { status, json, headers: got } = await ask('POST', '/oauth/token', { ...request, headers });
        assert.equal(status, 200);
        assert.deepEqual(
          { ...json, access_token: '' },
          { access_token: '', token_type: 'Bearer', expires_in: 1800 },
        );
        assert.notEqual(await server.tokens.accessOf(json.access_token), undefined);
        assert.equal(got.get('cache-control'), 'no-store');
      }
    }
  });

  test('is served under the public host name too', async () => {
    const { status } = await ask('POST', '/oauth/token', {
      json: GRANT,
      headers: { host: 'login.pinecone.io' },
    });
    assert.equal(status, 200);
  });

  test('refuses with OAuth error codes', async () => {
    const cases: readonly [number, string, Wanted][] = [
      [401, 'access_denied', { json: { ...GRANT, client_secret: 'wrong' } }],
      [401, 'access_denied', { json: { ...GRANT, client_id: 'nobody' } }],
      [401, 'access_denied', { form: { ...GRANT, client_secret: `${GRANT.client_secret} ` } }],
      [400, 'unsupported_grant_type', { json: { ...GRANT, grant_type: 'password' } }],
      [400, 'invalid_request', { json: { ...GRANT, audience: 'https://api.pinecone.io' } }],
      ...Object.keys(GRANT).map((name): [number, string, Wanted] => [
        400,
        'invalid_request',
        { json: { ...GRANT, [name]: undefined } },
      ]),
      [400, 'invalid_request', { json: { ...GRANT, client_id: 7 } }],
      [400, 'invalid_request', { json: [] }],
      [400, 'invalid_request', { json: null }],
      [400, 'invalid_request', {}],
      [400, 'invalid_request', { form: 'client_id=a&client_id=b' }],
      [415, 'invalid_request', { headers: { 'content-type': 'text/plain' }, form: 'x' }],
    ];
    for (const [status, error, request] of cases) {
      const answer = await ask('POST', '/oauth/token', request);
      assert.equal(answer.status, status, JSON.stringify(request));
      assert.deepEqual(Object.keys(answer.json), ['error', 'error_description']);
      assert.equal(answer.json.error, error);
    }
    const denied = await ask('POST', '/oauth/token', { json: { ...GRANT, client_secret: 'wrong' } });
    assert.equal(denied.json.error_description, 'Unauthorized');
  });
});

describe('wrong methods', () => {
  test('get 405 without a credential, in the body of their part', async () => {
    const identity = (message: string) => ({ message, code: 'UNIMPLEMENTED' });
    for (const [method, path, allowed] of [
      ['POST', '/api/auth', 'GET'],
      ['GET', '/auth/login', 'POST'],
      ['DELETE', '/api/auth/login', 'POST'],
    ] as const) {
      const { status, json, headers } = await ask(method, path);
      assert.deepEqual([status, headers.get('allow')], [405, allowed]);
      assert.deepEqual(json, identity(`${method} is not supported on ${path}.`));
    }
    const { status, json } = await ask('GET', '/oauth/token');
    assert.equal(status, 405);
    assert.deepEqual(json, {
      error: 'invalid_request',
      error_description: 'GET is not supported on /oauth/token.',
    });
  });

  test('do not open other paths beside them', async () => {
    assert.equal((await ask('GET', '/oauth/other')).status, 401);
    assert.equal((await ask('GET', '/api/other')).status, 401);
  });
});

describe('login and identity check', () => {
  test('return the five fields of a session, at both addresses', async () => {
    for (const path of ['/auth/login', '/api/auth/login']) {
      const { status, json } = await ask('POST', path, { json: { api_key: KEY_A } });
      assert.equal(status, 200, JSON.stringify(json));
      const { token, ...rest } = json;
      assert.deepEqual(rest, { principal: 'key-a', project_id: 'project-a', project_name: 'a' });
      const checked = await ask('GET', '/api/auth', { headers: { authorization: `Bearer ${token}` } });
      assert.deepEqual(checked.json, IDENTITY);
    }
    assert.deepEqual((await ask('GET', '/api/auth', { headers: { 'api-key': KEY_A } })).json, IDENTITY);
  });

  test('echo the version in use under the name that the caller used', async () => {
    const credential = { 'api-key': KEY_A };
    for (const [sent, name, echoed] of [
      [{}, 'x-service-api-version', '2026-07'],
      [{ 'x-service-api-version': 'unstable' }, 'x-service-api-version', 'unstable'],
      [{ 'x-pinecone-api-version': '2025-10' }, 'x-pinecone-api-version', '2025-10'],
      [
        { 'x-pinecone-api-version': '2025-10', 'x-service-api-version': '2026-07' },
        'x-service-api-version',
        '2026-07',
      ],
    ] as const) {
      const { status, headers } = await ask('GET', '/api/auth', { headers: { ...credential, ...sent } });
      assert.equal(status, 200);
      assert.equal(headers.get(name), echoed);
      const login = await ask('POST', '/auth/login', { headers: sent, json: { api_key: KEY_A } });
      assert.equal(login.headers.get(name), echoed);
    }
  });

  test('refuse an unknown version with its own code', async () => {
    for (const version of ['2020-01', '2026-7', 'latest', '']) {
      const headers = { 'api-key': KEY_A, 'x-service-api-version': version };
      for (const { status, json } of [
        await ask('GET', '/api/auth', { headers }),
        await ask('POST', '/auth/login', { headers, json: { api_key: KEY_A } }),
      ]) {
        assert.equal(status, 400, version);
        assert.deepEqual([json.code, Object.keys(json)], ['unsupported_api_version', ['message', 'code']]);
      }
    }
  });

  test('refuse a login without a valid key', async () => {
    for (const json of [{ api_key: 'wrong' }, { api_key: '' }, { api_key: null }, {}, undefined]) {
      const answer = await ask('POST', '/auth/login', { json });
      assert.equal(answer.status, 401);
      assert.deepEqual(answer.json, { message: 'Invalid API key.', code: 'UNAUTHENTICATED' });
    }
    assert.equal((await ask('POST', '/auth/login', { json: { api_key: 7 } })).json.code, 'INVALID_ARGUMENT');
  });

  test('show a null name for a deleted project of a session, and refuse its key', async () => {
    const { token, project_id: id } = (await ask('POST', '/auth/login', { json: { api_key: KEY } })).json;
    await catalog.administration.projects.delete({ organizationId, id }, SYSTEM);
    const { status, json } = await ask('GET', '/api/auth', { headers: { authorization: `Bearer ${token}` } });
    assert.equal(status, 200);
    assert.deepEqual([json.project_id, json.project_name], [id, null]);
    assert.equal((await ask('GET', '/api/auth', { headers: { 'api-key': KEY } })).status, 401);
  });
});

describe("an invite's link", () => {
  const invite = async (email: string) => {
    const times = { createdAt: new Date().toISOString(), expiresAt: '2999-01-01T00:00:00.000Z' };
    const grant = { resourceType: 'organization', resourceId: organizationId, role: 'OrgManager' } as const;
    const made = await catalog.administration.invites.create(
      { id: newId(), organizationId, email, ...times },
      [grant],
      SYSTEM,
    );
    return { invite: made, link: new URL(service.linkOf(made)) };
  };

  test('shows a page with a button, and changes nothing by being opened', async () => {
    const { link } = await invite(`"><script>@example.org`);
    for (const _ of [1, 2]) {
      const { status, text, headers } = await ask('GET', `${link.pathname}${link.search}`);
      assert.equal(status, 200);
      assert.match(String(headers.get('content-type')), /^text\/html/);
      assert.match(String(headers.get('content-security-policy')), /form-action 'self'/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.doesNotMatch(text, /<script/);
      assert.match(text, /<form method="post"/);
    }
  });

  test('creates a user with the roles of the invite, once', async () => {
    const { link } = await invite('person@example.org');
    const token = link.searchParams.get('token') ?? '';
    const { status, json } = await ask('POST', '/accept-invite', { json: { token, name: 'A Person' } });
    assert.equal(status, 200);
    assert.deepEqual([json.user.email, json.user.name], ['person@example.org', 'A Person']);
    const access = await server.tokens.accessOf(json.access_token);
    assert.deepEqual(access?.principal, { type: 'user', id: json.user.id });
    assert.ok(access?.rights.everywhere.has('admin::projects::create'));
    assert.equal((await ask('POST', '/accept-invite', { json: { token } })).status, 409);
    assert.equal((await ask('GET', `${link.pathname}${link.search}`)).status, 404);
    await catalog.administration.users.remove({ organizationId, id: json.user.id }, SYSTEM);
    assert.equal(await server.tokens.accessOf(json.access_token), undefined);
  });

  test('works from a browser, as a form', async () => {
    const { link } = await invite('browser@example.org');
    const form = { token: link.searchParams.get('token') ?? '', name: '' };
    const { status, text } = await ask('POST', '/accept-invite', { form });
    assert.equal(status, 200);
    assert.match(text, /browser@example\.org<\/b> is now a member/);
  });

  test('shows a page to a person who presses the button twice or too late', async () => {
    const { invite: made, link } = await invite('twice@example.org');
    const form = { token: link.searchParams.get('token') ?? '' };
    await catalog.administration.invites.resend(made, '2999-01-01T00:00:00.000Z', SYSTEM);
    const late = await ask('POST', '/accept-invite', { form });
    const { link: other } = await invite('second@example.org');
    const used = { token: other.searchParams.get('token') ?? '' };
    await ask('POST', '/accept-invite', { form: used });
    const twice = await ask('POST', '/accept-invite', { form: used });
    assert.deepEqual([late.status, twice.status], [404, 409]);
    for (const { text, headers } of [late, twice]) {
      assert.match(text, /This link no longer works/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
    }
  });

  test('is refused when invented, altered, truncated or replaced', async () => {
    const { invite: made, link } = await invite('late@example.org');
    const good = link.searchParams.get('token') ?? '';
    const altered = [...good].map(
      (character, at) => `${good.slice(0, at)}${character === 'A' ? 'B' : 'A'}${good.slice(at + 1)}`,
    );
    for (const token of [
      '',
      'x',
      good.slice(1),
      good.slice(0, -4),
      ...altered.filter((each) => each !== good),
    ]) {
      const { status } = await ask('POST', '/accept-invite', { json: { token } });
      assert.ok(status === 401 || (status === 400 && token === ''), token);
    }
    await catalog.administration.invites.resend(made, '2999-01-01T00:00:00.000Z', SYSTEM);
    assert.equal((await ask('POST', '/accept-invite', { json: { token: good } })).status, 404);
    assert.equal((await ask('GET', `${link.pathname}${link.search}`)).status, 404);
  });
});
