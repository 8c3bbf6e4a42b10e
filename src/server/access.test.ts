// Guarantees of keys: who gets in, what is kept, and what happens to keys between starts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootstrapAccess } from './bootstrap-access.ts';
import { hashKey, KeyRing } from './key-ring.ts';
import { fakeCatalog } from './testing/fakes.ts';

async function ringOf(catalog: ReturnType<typeof fakeCatalog>): Promise<KeyRing> {
  const ring = new KeyRing();
  await ring.refresh(catalog);
  return ring;
}

test('a first start makes an organization, a project and a strong key, shown in clear this once', async () => {
  const catalog = fakeCatalog();
  const first = await bootstrapAccess(catalog, null);
  assert.ok(first.origin === 'generated');
  assert.match(first.key, /^pcsk_[\w-]{43}$/);
  const [project] = await catalog.listProjects();
  assert.equal(project?.name, 'default');
  const access = (await ringOf(catalog)).authenticate(first.key);
  assert.equal(access?.projectId, project?.id);
  assert.equal(access?.organizationId, project?.organizationId);
  assert.ok(!JSON.stringify(await catalog.listApiKeys()).includes(first.key));
});

test('a later start makes nothing new', async () => {
  const catalog = fakeCatalog();
  await bootstrapAccess(catalog, null);
  assert.deepEqual(await bootstrapAccess(catalog, null), { origin: 'earlier start' });
  assert.equal((await catalog.listApiKeys()).length, 1);
  assert.equal((await catalog.listProjects()).length, 1);
});

test('a preset key is valid from its first start on, beside all earlier ones', async () => {
  const catalog = fakeCatalog();
  const presets = ['preset-key-1', 'preset-key-2', 'preset-key-1'];
  for (const preset of presets) {
    assert.deepEqual(await bootstrapAccess(catalog, preset), { origin: 'environment' });
  }
  const ring = await ringOf(catalog);
  for (const preset of presets) assert.notEqual(ring.authenticate(preset), undefined);
  assert.equal((await catalog.listApiKeys()).length, 2);
});

test('what a crash left half made is completed', async () => {
  const catalog = fakeCatalog();
  await catalog.insertOrganization({ id: 'org', name: 'default', createdAt: '' });
  const first = await bootstrapAccess(catalog, null);
  assert.equal(first.origin, 'generated');
  assert.equal((await catalog.listOrganizations()).length, 1);
});

test('missing, empty, unknown and hashed keys give no access', async () => {
  const catalog = fakeCatalog();
  await bootstrapAccess(catalog, 'the-right-key');
  const ring = await ringOf(catalog);
  for (const key of [undefined, '', 'the-wrong-key', 'the-right-key ', hashKey('the-right-key')]) {
    assert.equal(ring.authenticate(key), undefined);
  }
});

test('a removed key is refused after the next refresh, a key of no project always', async () => {
  const catalog = fakeCatalog();
  await bootstrapAccess(catalog, 'the-right-key');
  const ring = await ringOf(catalog);
  const [key] = await catalog.listApiKeys();
  await catalog.deleteApiKey(key?.id ?? '');
  await catalog.insertApiKey({
    id: 'x',
    projectId: 'none',
    name: 'x',
    sha256: hashKey('stray-key'),
    createdAt: '',
  });
  await ring.refresh(catalog);
  assert.equal(ring.authenticate('the-right-key'), undefined);
  assert.equal(ring.authenticate('stray-key'), undefined);
});
