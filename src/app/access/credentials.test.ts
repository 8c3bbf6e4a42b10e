// Every endpoint refuses every credential that it does not accept with the same answer, before any other check.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EndpointDetails } from '../../api/endpoint.ts';
import { adminEndpoints } from '../../api/rest/admin-endpoints.ts';
import { controlEndpoints } from '../../api/rest/control-endpoints.ts';
import { dataEndpoints } from '../../api/rest/data-endpoints.ts';
import { checkIdentity } from '../../api/rest/identity/check-identity.ts';
import type { Catalog } from '../../catalog/port.ts';
import { memoryCatalog } from '../../http/testing/fakes.ts';
import { KEY_A, startTestServer, type TestServer, testSigner } from '../../http/testing/start-test-server.ts';
import { addOwner, bootstrapAccess } from './bootstrap-access.ts';
import { ACCESS_AUDIENCE } from './tokens.ts';

const OWNER = { clientId: 'owner', clientSecret: 'the-secret-of-the-owner' };
const REFUSAL = { status: 401, error: { code: 'UNAUTHENTICATED', message: 'Invalid API key.' } };

let server: TestServer;
let catalog: Catalog;
let wrong: Readonly<Record<string, Readonly<Record<string, string>>>>;
let accessToken: string;
let session: string;

before(async () => {
  catalog = await memoryCatalog();
  const presets = { apiKey: 'a-preset-key', adminClientId: null, adminClientSecret: null };
  const { organizationId } = await bootstrapAccess(catalog, presets);
  await addOwner(catalog.administration, organizationId, { ...OWNER, name: 'owner' });
  server = await startTestServer({
    settings: { drainSeconds: 1 },
    admin: adminEndpoints,
    identity: [checkIdentity],
    control: controlEndpoints,
    data: dataEndpoints,
  });
  server.principals.load(await catalog.administration.access.snapshot());
  accessToken = (await server.tokens.exchange(OWNER))?.token ?? '';
  session = (await server.tokens.logIn(KEY_A))?.token ?? '';
  const [, body = '', signature = ''] = accessToken.split('.');
  const none = Buffer.from('{"alg":"none","typ":"at+jwt","kid":"test"}').toString('base64url');
  const { id: sub } = server.principals.serviceAccountByClient(OWNER.clientId) ?? assert.fail();
  const claims = { sub, aud: ACCESS_AUDIENCE, principal: 'service_account', generation: 1 };
  const signed = (secret: number, organization: string, seconds: number) =>
    testSigner(secret).sign('at+jwt', { ...claims, 'https://pinecone.io/orgId': organization }, seconds);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  wrong = {
    nothing: {},
    'an empty token': { authorization: 'Bearer ' },
    'basic credentials': { authorization: `Basic ${Buffer.from('owner:the-secret').toString('base64')}` },
    'a made-up token': bearer('x.y.z'),
    'a key as a token': bearer(KEY_A),
    'an unsigned token': bearer(`${none}.${body}.`),
    'a signed token that says none': bearer(`${none}.${body}.${signature}`),
    'a token of a foreign signature': bearer(await signed(7, organizationId, 60)),
    'an expired token': bearer(await signed(0, organizationId, -60)),
    'a token of another organization': bearer(await signed(0, 'org', 60)),
    'an unknown key': { 'api-key': 'pcsk_unknown_key' },
    'an access token as a key': { 'api-key': accessToken },
  };
  assert.notEqual(await server.tokens.accessOf(await signed(0, organizationId, 60)), undefined);
});
after(async () => {
  await server.server.stop();
  await catalog.close();
});

async function ask(
  { method, path }: EndpointDetails,
  headers: Readonly<Record<string, string>>,
  base = server.base,
) {
  const answer = await fetch(`${base}${path.replaceAll(/\{\w+\}/g, 'x')}`, { method, headers });
  return { status: answer.status, body: await answer.json() };
}

describe('credentials', () => {
  test('accepts only access tokens in the administration API', async () => {
    const all = {
      ...wrong,
      'an API key': { 'api-key': KEY_A },
      'a session': { authorization: `Bearer ${session}` },
    };
    for (const [name, headers] of Object.entries(all)) {
      for (const endpoint of adminEndpoints) {
        assert.deepEqual(
          await ask(endpoint, headers),
          { status: 401, body: REFUSAL },
          `${name}: ${endpoint.id}`,
        );
      }
    }
    for (const path of ['/admin', '/admin/', '/admin/nothing']) {
      const { status } = await fetch(`${server.base}${path}`, { headers: { 'api-key': KEY_A } });
      assert.equal(status, 401, path);
    }
  });

  test('accepts only API keys in the control and data plane', async () => {
    const tokens = { 'an access token': accessToken, 'a session token': session };
    const bearers = Object.entries(tokens).map(
      ([name, token]) => [name, { authorization: `Bearer ${token}` }] as const,
    );
    for (const [name, headers] of [...Object.entries(wrong), ...bearers]) {
      for (const endpoint of controlEndpoints) {
        assert.deepEqual(
          await ask(endpoint, headers),
          { status: 401, body: REFUSAL },
          `${name}: ${endpoint.id}`,
        );
      }
      for (const endpoint of dataEndpoints) {
        const answer = await ask(endpoint, headers, server.indexBase);
        assert.deepEqual(answer, { status: 401, body: REFUSAL }, `${name}: ${endpoint.id}`);
      }
    }
  });

  test('accepts sessions and keys in the identity check, and refuses in its own words', async () => {
    const body = { message: 'Invalid API key.', code: 'UNAUTHENTICATED' };
    const all = { ...wrong, 'an access token': { authorization: `Bearer ${accessToken}` } };
    for (const [name, headers] of Object.entries(all)) {
      assert.deepEqual(await ask(checkIdentity, headers), { status: 401, body }, name);
    }
  });

  test('logs failed attempts as denials, without the presented credential', async () => {
    server.denials.length = 0;
    await ask(checkIdentity, { 'api-key': 'a-wrong-key-of-somebody' });
    const [denial] = server.denials;
    assert.deepEqual([denial?.actor.type, denial?.action], ['anonymous', 'check_identity']);
    assert.doesNotMatch(JSON.stringify(server.denials), /a-wrong-key/);
  });
});
