// A node of several asks what others have changed before it refuses a credential.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { checkIdentity } from '../api/rest/identity/check-identity.ts';
import { exchangeToken } from '../api/rest/identity/exchange-token.ts';
import { logIn } from '../api/rest/identity/log-in.ts';
import { OPENAI_FORM, type OpenAiEndpoint } from '../api/rest/openai/openai-endpoint.ts';
import { Principals } from '../app/access/principals.ts';
import { ACCESS_AUDIENCE, Tokens } from '../app/access/tokens.ts';
import { digestOf } from '../domain/administration/credentials.ts';
import { controlEndpoint, fakeIndex } from './testing/fakes.ts';
import {
  KEY_A,
  PROJECT_IDS,
  startTestServer,
  type TestServer,
  testAccess,
  testSigner,
} from './testing/start-test-server.ts';

const SECRET = 'secret of the account';
const PERSON = { type: 'user', id: 'ada' } as const;
const ACCESS = testAccess();
const SNAPSHOT = {
  ...ACCESS,
  users: [{ id: PERSON.id, email: 'ada@example.org', generation: 1 }],
  serviceAccounts: [
    { id: 'bot', organizationId: 'org', clientId: 'bot', secretSha256: digestOf(SECRET), generation: 1 },
  ],
  bindings: ACCESS.bindings.flatMap((binding) => [
    binding,
    { ...binding, id: `${binding.id} of Ada`, principal: PERSON },
  ]),
};

const figures: OpenAiEndpoint = {
  ...OPENAI_FORM,
  ...{ id: 'read_figures', method: 'GET', path: '/figures', summary: 'Read figures', faults: [] },
  permission: 'control_plane::indexes::list',
  success: { status: 200, description: 'The figures.' },
  handle: async () => ({ status: 200, body: {} }),
};

describe('a node that has not heard of what another one has made', () => {
  let server: TestServer;
  let looks: number;
  beforeEach(async () => {
    looks = 0;
    server = await startTestServer({
      identity: [checkIdentity, exchangeToken, logIn],
      openai: [figures],
      control: [
        controlEndpoint({ id: 'list_things', method: 'GET', path: '/things' }),
        controlEndpoint({ id: 'find_thing', method: 'GET', path: '/indexes/{index_name}' }),
      ],
      catchUp: async (principals) => {
        looks++;
        principals.load(SNAPSHOT);
      },
    });
  });
  afterEach(() => server.server.stop());

  async function ask(path: string, headers: Record<string, string>): Promise<number> {
    const response = await fetch(`${server.base}${path}`, { headers });
    await response.arrayBuffer();
    return response.status;
  }

  async function send(path: string, body: object): Promise<number> {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${server.base}${path}`, request);
    await response.arrayBuffer();
    return response.status;
  }

  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });

  it('knows a key in either header, and asks once', async () => {
    assert.equal(await ask('/figures', bearer(KEY_A)), 200);
    assert.equal(await ask('/figures', bearer(KEY_A)), 200);
    assert.equal(await ask('/things', { 'api-key': KEY_A }), 200);
    assert.equal(looks, 1);
    assert.equal(await ask('/figures', bearer('pcsk_unknown')), 401);
    assert.equal(looks, 2);
    assert.equal(await ask('/figures', {}), 401);
    assert.equal(looks, 2, 'nothing to know');
  });

  it('asks before it answers about an index by a name that it does not know, or no longer', async () => {
    const key = { 'api-key': KEY_A };
    const { directory, openIndex } = server;
    await ask('/indexes/fresh', key);
    const before = looks;
    await ask('/indexes/fresh', key);
    assert.equal(looks, before + 1, 'an unknown one');
    const port = await openIndex({ id: 'fresh', projectId: PROJECT_IDS.a });
    await ask('/indexes/fresh', key);
    assert.equal(looks, before + 1, 'a known one');
    directory.ports.set(port, fakeIndex({ id: 'fresh', projectId: PROJECT_IDS.a, state: 'Terminating' }));
    await ask('/indexes/fresh', key);
    assert.equal(looks, before + 2, 'one that may have been made again');
  });

  it('knows what is in the body of a sign-in', async () => {
    assert.equal(await send('/auth/login', { api_key: KEY_A }), 200);
    assert.equal(looks, 1);
  });

  it('knows a service account at the exchange for a token', async () => {
    const exchange = { client_id: 'bot', client_secret: SECRET, audience: ACCESS_AUDIENCE };
    assert.equal(await send('/oauth/token', { ...exchange, grant_type: 'client_credentials' }), 200);
  });

  it('knows the token of a person, and asks once', async () => {
    const elsewhere = new Principals();
    elsewhere.load(SNAPSHOT);
    const { token } = await new Tokens(elsewhere, testSigner()).issueToUser(PERSON.id, 'org');
    assert.equal(await ask('/api/auth', bearer(token)), 200);
    assert.equal(await ask('/api/auth', bearer(token)), 200);
    assert.equal(looks, 1);
  });
});

describe('a node that has lost its database', () => {
  it("answers the operator's scrapes and those who ask whether it lives, and nobody else", async (test) => {
    const { server, base } = await startTestServer({
      // Principals are those of the start.
      catchUp: () => Promise.resolve(),
      ageMs: () => 10_000,
      isOperatorKey: (presented) => presented === 'operator',
      monitor: (app, requireCurrent) =>
        app.get('/metrics', { config: { open: true, whileBehind: true } }, ({ headers }) => {
          if (headers.authorization !== 'Bearer operator') requireCurrent?.();
          return 'figures';
        }),
    });
    test.after(() => server.stop());
    const statusOf = async (path: string, key: string) =>
      (await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${key}` } })).status;
    assert.equal(await statusOf('/metrics', 'operator'), 200);
    assert.equal(await statusOf('/health/live', KEY_A), 200);
    for (const path of ['/metrics', '/health', '/things'])
      assert.equal(await statusOf(path, KEY_A), 503, path);
  });

  it('does not ask the database who the operator is', async (test) => {
    const { server, base } = await startTestServer({
      catchUp: () => new Promise(() => undefined),
      isOperatorKey: (presented) => presented === 'operator',
      monitor: (app) => app.get('/metrics', { config: { open: true } }, () => 'figures'),
    });
    test.after(() => server.stop());
    const answer = await fetch(`${base}/metrics`, { headers: { authorization: 'Bearer operator' } });
    assert.equal(answer.status, 200);
  });
});
