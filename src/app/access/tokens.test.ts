// Tokens are valid only if this server signed them for this use, until they expire, and while the catalog agrees.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Catalog } from '../../catalog/port.ts';
import { SYSTEM } from '../../domain/administration/audit.ts';
import { digestOf } from '../../domain/administration/credentials.ts';
import { memoryCatalog } from '../../http/testing/fakes.ts';
import { addOwner, bootstrapAccess } from './bootstrap-access.ts';
import { Principals } from './principals.ts';
import { createTokenSigner } from './token-signer.ts';
import { ACCESS_AUDIENCE, Tokens } from './tokens.ts';

const SECRET = { id: 'key-1', bytes: new Uint8Array(32).fill(1) };
const FOREIGN = { id: 'key-1', bytes: new Uint8Array(32).fill(2) };
const KEY = 'the-key-of-the-project';
const OWNER = { clientId: 'owner', clientSecret: 'the-secret-of-the-owner' };
const HALF_AN_HOUR_MS = 1_800_000;

describe('tokens', () => {
  let catalog: Catalog;
  let principals: Principals;
  let tokens: Tokens;
  let organizationId: string;
  let now: number;

  beforeEach(async () => {
    catalog = await memoryCatalog();
    now = Date.now();
    const presets = { apiKey: KEY, adminClientId: OWNER.clientId, adminClientSecret: OWNER.clientSecret };
    ({ organizationId } = await bootstrapAccess(catalog, presets));
    principals = await Principals.follow(catalog.administration.access);
    tokens = new Tokens(
      principals,
      createTokenSigner([SECRET], () => now),
      { keys: catalog.administration.apiKeys },
    );
  });
  afterEach(() => catalog.close());

  const account = () => principals.serviceAccountByClient(OWNER.clientId) ?? assert.fail();
  const project = async () =>
    (await catalog.administration.projects.list(organizationId))[0] ?? assert.fail();

  async function accessToken(): Promise<string> {
    return (await tokens.exchange(OWNER))?.token ?? assert.fail();
  }

  function encode(part: object): string {
    return Buffer.from(JSON.stringify(part)).toString('base64url');
  }

  /** Assembles a token from the parts of a valid one. */
  function forged(
    token: string,
    header: object,
    { bytes }: typeof SECRET | { readonly bytes: null } = SECRET,
  ): string {
    const [, body = ''] = token.split('.');
    const signed = `${encode(header)}.${body}`;
    const mac = bytes === null ? '' : createHmac('sha256', bytes).update(signed).digest('base64url');
    return `${signed}.${mac}`;
  }

  describe('access tokens', () => {
    test('name the organization, carry the claims that clients read, and live half an hour', async () => {
      const token = await accessToken();
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      assert.equal(claims['https://pinecone.io/orgId'], organizationId);
      assert.equal(typeof claims['https://pinecone.io/email'], 'string');
      assert.equal(claims.exp - claims.iat, 1_800);
      assert.equal((await tokens.accessOf(token))?.organizationId, organizationId);
      now += HALF_AN_HOUR_MS - 2_000;
      assert.notEqual(await tokens.accessOf(token), undefined);
      now += 3_000;
      assert.equal(await tokens.accessOf(token), undefined);
    });

    test('are issued only for the right id with the right secret', async () => {
      const { clientId, clientSecret } = OWNER;
      const wrong = [
        { clientId, clientSecret: '' },
        { clientId, clientSecret: `${clientSecret}x` },
        { clientId, clientSecret: clientSecret.slice(0, -1) },
        { clientId, clientSecret: digestOf(clientSecret) },
        { clientId: 'Owner', clientSecret },
        { clientId: '', clientSecret: 'nobody' },
        { clientId: account().id, clientSecret },
      ];
      for (const each of wrong) assert.equal(await tokens.exchange(each), undefined, JSON.stringify(each));
    });

    test('are refused when made up, unsigned, signed elsewhere or altered in any single bit', async () => {
      const token = await accessToken();
      const header = { alg: 'HS256', typ: 'at+jwt', kid: SECRET.id };
      assert.notEqual(await tokens.accessOf(forged(token, header)), undefined);
      const refused = [
        '',
        'x',
        '..',
        token.slice(0, -1),
        `${token}A`,
        `${token}.`,
        token.split('.').slice(0, 2).join('.'),
        forged(token, header, FOREIGN),
        forged(token, { ...header, kid: 'key-2' }),
        forged(token, { alg: 'HS256', typ: 'at+jwt' }),
        forged(token, { ...header, typ: 'session+jwt' }),
        forged(token, { ...header, typ: 'JWT' }),
        ...['none', 'None', 'NONE', ''].map((alg) => forged(token, { ...header, alg }, { bytes: null })),
        forged(token, { ...header, alg: 'none' }),
        forged(token, { ...header, alg: 'HS512' }),
        forged(token, { ...header, alg: 'RS256' }),
        forged(token, { ...header, crit: ['exp'] }),
        'A'.repeat(100_000),
      ];
      for (const each of refused) assert.equal(await tokens.accessOf(each), undefined, each.slice(0, 300));
      for (let at = 0; at < token.length; at += 1) {
        const bit = 1 << (at % 6);
        const altered = Buffer.from(token);
        altered[at] = (altered[at] ?? 0) ^ bit;
        assert.equal(await tokens.accessOf(altered.toString('latin1')), undefined, `character ${at}`);
      }
    });

    test('are refused for another audience, organization or type of principal, even with a valid signature', async () => {
      const signer = createTokenSigner([SECRET], () => now);
      const { id, generation } = account();
      const good = {
        sub: id,
        aud: ACCESS_AUDIENCE,
        principal: 'service_account',
        generation,
        'https://pinecone.io/orgId': organizationId,
      };
      assert.notEqual(await tokens.accessOf(await signer.sign('at+jwt', good, 60)), undefined);
      const wrong = [
        { aud: 'https://api.pinecone.io' },
        { aud: undefined },
        { sub: undefined },
        { sub: 'nobody' },
        { principal: 'user' },
        { principal: 'api_key' },
        { principal: undefined },
        { generation: generation + 1 },
        { generation: undefined },
        { 'https://pinecone.io/orgId': 'another-organization' },
        { 'https://pinecone.io/orgId': undefined },
      ];
      for (const part of wrong) {
        const token = await signer.sign('at+jwt', { ...good, ...part }, 60);
        assert.equal(await tokens.accessOf(token), undefined, JSON.stringify(part));
      }
    });

    test('become invalid when the secret is rotated or the account deleted, and only then', async () => {
      await addOwner(catalog.administration, organizationId, { ...OWNER, name: 'other', clientId: 'other' });
      const token = await accessToken();
      await catalog.administration.serviceAccounts.rotateSecret(account(), digestOf('new'), SYSTEM);
      assert.equal(await tokens.accessOf(token), undefined);
      assert.equal(await tokens.exchange(OWNER), undefined);
      const { token: newer = '' } = (await tokens.exchange({ ...OWNER, clientSecret: 'new' })) ?? {};
      assert.notEqual(await tokens.accessOf(newer), undefined);
      await catalog.administration.serviceAccounts.delete(account(), SYSTEM);
      assert.equal(await tokens.accessOf(newer), undefined);
      assert.equal(await tokens.exchange({ ...OWNER, clientSecret: 'new' }), undefined);
    });

    test('follow a change of roles at once', async () => {
      await addOwner(catalog.administration, organizationId, { ...OWNER, name: 'other', clientId: 'other' });
      const token = await accessToken();
      const page = { limit: 100, after: null, visible: 'all', principalId: account().id } as const;
      const { items } = await catalog.administration.roleBindings.list(organizationId, page);
      for (const { id } of items) {
        await catalog.administration.roleBindings.delete({ organizationId, id }, SYSTEM);
      }
      assert.deepEqual((await tokens.accessOf(token))?.rights.everywhere, new Set());
    });
  });

  describe('session tokens', () => {
    test('represent their key and live an hour', async () => {
      const { token = '', session } = (await tokens.logIn(KEY)) ?? {};
      assert.deepEqual(await tokens.sessionOf(token), session);
      assert.equal(session?.projectId, (await project()).id);
      now += 2 * HALF_AN_HOUR_MS - 2_000;
      assert.notEqual(await tokens.sessionOf(token), undefined);
      now += 3_000;
      assert.equal(await tokens.sessionOf(token), undefined);
      assert.equal(await tokens.logIn('another-key'), undefined);
      assert.equal(await tokens.logIn(undefined), undefined);
    });

    test('are not accepted as access tokens, nor the reverse', async () => {
      const { token: session = '' } = (await tokens.logIn(KEY)) ?? {};
      assert.equal(await tokens.accessOf(session), undefined);
      assert.equal(await tokens.sessionOf(await accessToken()), undefined);
    });

    test('become invalid with their key', async () => {
      const { token = '', session } = (await tokens.logIn(KEY)) ?? {};
      const id = session?.principal.id ?? '';
      await catalog.administration.apiKeys.delete({ organizationId, id }, SYSTEM);
      assert.equal(await tokens.sessionOf(token), undefined);
    });

    test('stay invalid when the project is deleted after their key', async () => {
      const { token = '', session } = (await tokens.logIn(KEY)) ?? {};
      const id = session?.principal.id ?? '';
      await catalog.administration.apiKeys.delete({ organizationId, id }, SYSTEM);
      await catalog.administration.projects.delete(await project(), SYSTEM);
      assert.equal(await tokens.sessionOf(token), undefined);
    });

    test('still identify the holder after the project is deleted, while its key no longer works', async () => {
      const { token = '', session } = (await tokens.logIn(KEY)) ?? {};
      await catalog.administration.projects.delete(await project(), SYSTEM);
      assert.deepEqual(await tokens.sessionOf(token), session);
      assert.equal(tokens.projectName(session?.projectId ?? ''), null);
      assert.equal(await tokens.logIn(KEY), undefined);
      assert.equal(principals.authenticateKey(KEY), undefined);
    });
  });
});
