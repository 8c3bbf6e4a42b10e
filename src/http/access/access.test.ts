// Guarantees of first access: who has access after a start, what is stored, and what changes between starts.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { bootstrapAccess, type FirstAccess } from '../../app/access/bootstrap-access.ts';
import { Principals } from '../../app/access/principals.ts';
import { resetCredentials } from '../../app/access/reset-credentials.ts';
import { secretsFor, signingKeys } from '../../app/access/signing-secrets.ts';
import { createTokenSigner } from '../../app/access/token-signer.ts';
import { Tokens } from '../../app/access/tokens.ts';
import type { Catalog } from '../../catalog/port.ts';
import { SYSTEM } from '../../domain/administration/audit.ts';
import { digestOf } from '../../domain/administration/credentials.ts';
import { newId } from '../../domain/ids.ts';
import { memoryCatalog } from '../testing/fakes.ts';

const NOTHING = { apiKey: null, adminClientId: null, adminClientSecret: null };
const OWNER = { adminClientId: 'owner', adminClientSecret: 'a-secret-of-the-owner' };

describe('access', () => {
  let catalog: Catalog;
  beforeEach(async () => {
    catalog = await memoryCatalog();
  });
  afterEach(() => catalog.close());

  const start = (
    presets: Partial<typeof NOTHING | typeof OWNER | { apiKey: string }> = {},
  ): Promise<FirstAccess> => bootstrapAccess(catalog, { ...NOTHING, ...presets });
  const principals = () => Principals.follow(catalog.administration.access);

  async function tokens(): Promise<Tokens> {
    const keys = await signingKeys(catalog.administration.signingKeys);
    return new Tokens(await principals(), createTokenSigner(secretsFor('token', keys)));
  }

  test('creates an organization, a project and a strong key at the first start, and shows the key once', async () => {
    const { key, organizationId } = await start();
    assert.ok(key.origin === 'generated');
    assert.match(key.key, /^pcsk_[A-Za-z0-9]{6}_[\w-]{43}$/);
    const [project] = await catalog.administration.projects.list(organizationId);
    assert.equal(project?.name, 'default');
    const { access, permissions } = (await principals()).authenticateKey(key.key) ?? {};
    assert.equal(access?.projectId, project?.id);
    assert.equal(access?.organizationId, organizationId);
    assert.ok(permissions?.has('data_plane::vectors::write'));
    assert.ok(!JSON.stringify(await catalog.administration.access.snapshot()).includes(key.key));
  });

  test('creates an owner of the organization at the first start, and shows its working secret once', async () => {
    const { owner } = await start();
    assert.ok(owner.origin === 'generated');
    assert.match(owner.clientId, /^[A-Za-z0-9]{32}$/);
    assert.equal(owner.clientSecret.length, 64);
    const all = await tokens();
    const issued = await all.exchange(owner);
    const access = await all.accessOf(issued?.token ?? '');
    assert.ok(access?.rights.everywhere.has('admin::organization::delete'));
    assert.ok(!JSON.stringify(await catalog.administration.access.snapshot()).includes(owner.clientSecret));
  });

  test('creates nothing at a later start', async () => {
    await start();
    const before = await catalog.administration.access.snapshot();
    const { key, owner } = await start();
    assert.deepEqual([key.origin, owner.origin], ['earlier start', 'earlier start']);
    assert.deepEqual(await catalog.administration.access.snapshot(), before);
  });

  test('accepts a preset key from its first start on, beside all earlier keys', async () => {
    const presets = ['preset-key-1', 'preset-key-2', 'preset-key-1'];
    for (const apiKey of presets) {
      assert.deepEqual((await start({ apiKey })).key, { origin: 'environment' });
    }
    const all = await principals();
    for (const preset of presets) assert.notEqual(all.authenticateKey(preset), undefined);
    assert.equal((await catalog.administration.access.snapshot()).keys.length, 2);
  });

  test('accepts a preset owner from its first start on, and replaces its secret when the setting changes', async () => {
    assert.deepEqual((await start(OWNER)).owner, { origin: 'environment' });
    const before = await tokens();
    const { token = '' } =
      (await before.exchange({ clientId: 'owner', clientSecret: OWNER.adminClientSecret })) ?? {};
    await start(OWNER);
    assert.notEqual(await before.accessOf(token), undefined);
    await start({ ...OWNER, adminClientSecret: 'another-secret-of-it' });
    assert.equal(await before.accessOf(token), undefined);
    const after = await tokens();
    assert.equal(
      await after.exchange({ clientId: 'owner', clientSecret: OWNER.adminClientSecret }),
      undefined,
    );
    assert.notEqual(
      await after.exchange({ clientId: 'owner', clientSecret: 'another-secret-of-it' }),
      undefined,
    );
    assert.equal((await catalog.administration.access.snapshot()).serviceAccounts.length, 1);
  });

  test('makes a preset account an owner again at a start, also one that never was', async () => {
    await start();
    await start(OWNER);
    const { administration } = catalog;
    const { bindings, serviceAccounts } = await administration.access.snapshot();
    const preset = serviceAccounts.find(({ clientId }) => clientId === OWNER.adminClientId);
    const owning = bindings.find(({ principal }) => principal.id === preset?.id);
    assert.ok(owning);
    await administration.roleBindings.delete(owning, SYSTEM);
    await start(OWNER);
    const access = await tokens();
    const credentials = { clientId: 'owner', clientSecret: OWNER.adminClientSecret };
    const { token = '' } = (await access.exchange(credentials)) ?? {};
    assert.ok((await access.accessOf(token))?.rights.everywhere.has('admin::organization::delete'));
  });

  test('completes what a crash left unfinished', async () => {
    await catalog.administration.organizations.create({ id: 'org', name: 'default', createdAt: '' }, SYSTEM);
    const { key, owner, organizationId } = await start();
    assert.deepEqual([key.origin, owner.origin, organizationId], ['generated', 'generated', 'org']);
    assert.equal((await catalog.administration.organizations.list()).length, 1);
  });

  test('denies access to missing, empty, unknown and hashed keys', async () => {
    await start({ apiKey: 'the-right-key' });
    const all = await principals();
    for (const key of [undefined, '', 'the-wrong-key', 'the-right-key ', digestOf('the-right-key')]) {
      assert.equal(all.authenticateKey(key), undefined);
    }
  });

  test('refuses a removed key at once', async () => {
    const { organizationId } = await start({ apiKey: 'the-right-key' });
    const all = await principals();
    const id = all.authenticateKey('the-right-key')?.access.principalId ?? '';
    await catalog.administration.apiKeys.delete({ organizationId, id }, SYSTEM);
    assert.equal(all.authenticateKey('the-right-key'), undefined);
  });

  test('creates the signing key once and keeps it', async () => {
    const made = await signingKeys(catalog.administration.signingKeys);
    assert.deepEqual(await signingKeys(catalog.administration.signingKeys), made);
    const [one, other] = [secretsFor('token', made), secretsFor('cursor', made)];
    assert.notDeepEqual(one[0]?.bytes, other[0]?.bytes);
  });

  test('gives the oldest owner a new secret and the default project another key on a reset', async () => {
    const { key, owner } = await start();
    assert.ok(key.origin === 'generated' && owner.origin === 'generated');
    const before = await tokens();
    const { token = '' } = (await before.exchange(owner)) ?? {};
    const made = await resetCredentials(catalog);
    assert.ok(made !== null);
    assert.equal(made.clientId, owner.clientId);
    assert.equal(await before.accessOf(token), undefined);
    const after = await tokens();
    assert.equal(await after.exchange(owner), undefined);
    assert.notEqual(await after.exchange(made), undefined);
    for (const each of [key.key, made.apiKey])
      assert.notEqual((await principals()).authenticateKey(each), undefined);
  });

  test('creates an owner on a reset where only users own the organization', async () => {
    await start();
    const { organizationId } = await start();
    const { serviceAccounts } = await catalog.administration.access.snapshot();
    const newcomer = { id: newId(), organizationId, email: 'a@example.org' };
    const times = { createdAt: new Date().toISOString(), expiresAt: '2999-01-01T00:00:00.000Z' };
    const grant = { resourceType: 'organization', resourceId: organizationId, role: 'OrgOwner' } as const;
    await catalog.administration.invites.create({ ...newcomer, ...times }, [grant], SYSTEM);
    const link = { linkNumber: 1, at: times.createdAt, name: null, requestId: null };
    await catalog.administration.invites.accept(newcomer, link);
    for (const account of serviceAccounts)
      await catalog.administration.serviceAccounts.delete(account, SYSTEM);
    const made = await resetCredentials(catalog);
    assert.ok(made !== null);
    assert.notEqual(await (await tokens()).exchange(made), undefined);
  });

  test('reports a reset of data that no server ever used', async () => {
    assert.equal(await resetCredentials(catalog), null);
  });
});
