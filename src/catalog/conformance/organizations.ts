// Conformance of organizations, projects, the audit log and signing keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '../../domain/administration/audit.ts';
import type { QuotaKind } from '../../domain/quotas.ts';
import type { AccessChange, AdministrationStore } from '../port.ts';
import { AdministrationFixture, BY, LATE, refuses } from './administration-fixture.ts';

export function describeOrganizations(open: () => AdministrationStore): void {
  const fixture = () => AdministrationFixture.make(open());

  test('reads organizations and projects back whole, oldest first, only in their own organization', async () => {
    const one = await fixture();
    const other = await fixture();
    const { store, organizationId, project } = one;
    const later = { ...one.newProject(), createdAt: LATE, maxPods: 3, forceEncryptionWithCmek: true };
    await store.projects.create(later, SYSTEM);
    const older = { ...one.newProject(), createdAt: '2025-01-01T00:00:00.000Z' };
    await store.projects.create(older, SYSTEM);
    assert.deepEqual(await store.projects.list(organizationId), [older, project, later]);
    const { projects } = await store.access.snapshot();
    assert.deepEqual(
      projects.filter((each) => each.organizationId === organizationId).map(({ id }) => id),
      [older.id, project.id, later.id],
    );
    await store.projects.delete(older, SYSTEM);
    assert.deepEqual(await store.projects.find(later), later);
    assert.equal(await store.projects.find(other.ref(later.id)), null);
    const renamed = await store.projects.update(later, { name: 'New' }, BY);
    assert.deepEqual(renamed, { ...later, name: 'New' });
    await refuses(store.projects.update(later, { forceEncryptionWithCmek: false }, BY), 'invalid-argument');
    await refuses(store.projects.update(other.ref(later.id), {}, BY), 'project-not-found');
    assert.equal((await store.organizations.rename(organizationId, 'Away', BY)).name, 'Away');
    assert.equal((await store.organizations.find(organizationId))?.name, 'Away');
    await refuses(store.organizations.delete(organizationId, BY), 'organization-not-empty');
  });

  test('forgets the quota of a key and of a project with it, also one that was set meanwhile, and no other', async () => {
    const [here, other] = [await fixture(), await fixture()];
    const { store, project, organizationId } = here;
    const [key, gone, kept] = [await here.key(), await here.key(), await other.key()];
    const subjects = { project: [project, other.project], key: [key, gone, kept] } as const;
    const quota = { requestsPerSecond: 5 };
    const set = (kind: QuotaKind, { id }: { readonly id: string }) =>
      store.quotas.set({ subject: { kind, id }, quota }, organizationId, BY);
    for (const each of subjects.project) await set('project', each);
    for (const each of subjects.key) await set('key', each);
    const known = async () => {
      const all: readonly { readonly id: string }[] = [...subjects.project, ...subjects.key];
      const ids = (await store.quotas.list()).map(({ subject }) => subject.id);
      return all.map(({ id }) => ids.includes(id));
    };
    await store.apiKeys.delete(gone, BY);
    assert.deepEqual(await known(), [true, true, true, false, true]);
    await store.projects.delete(project, BY);
    assert.deepEqual(await known(), [false, true, false, false, true]);
    await set('project', project);
    await set('key', gone);
    await store.projects.purge();
    assert.deepEqual(await known(), [false, true, false, false, true]);
  });

  test('makes the creator of a project its owner', async () => {
    const here = await fixture();
    const { id } = await here.account('OrgManager');
    const project = here.newProject();
    await here.store.projects.create(project, { type: 'service_account', id, requestId: null });
    const owned = (await here.bindings(id)).find(({ role }) => role === 'ProjectOwner');
    assert.equal(owned?.resourceId, project.id);
  });

  test('refuses a project of a deleted creator, and leaves no orphaned role', async () => {
    const here = await fixture();
    const account = await here.account('OrgManager');
    await here.store.serviceAccounts.delete(account, BY);
    const by = { type: 'service_account', id: account.id, requestId: null } as const;
    const project = here.newProject();
    await refuses(here.store.projects.create(project, by), 'unauthenticated');
    assert.equal(await here.store.projects.find(project), null);
    assert.deepEqual(await here.bindings(account.id), []);
  });

  test('hides a deleted project at once, with its keys and bindings', async () => {
    const here = await fixture();
    const { store, project, organizationId } = here;
    const key = await here.key('ProjectEditor');
    const { id } = await here.account('ProjectOwner', 'OrgMember');
    await store.projects.delete(project, BY);
    assert.equal(await store.projects.find(project), null);
    assert.deepEqual(await store.projects.list(organizationId), []);
    assert.equal(await store.apiKeys.find(key), null);
    assert.deepEqual(
      (await here.bindings(id)).map(({ role }) => role),
      ['OrgMember'],
    );
    await refuses(store.projects.delete(project, BY), 'project-not-found');
    await refuses(here.key('ProjectEditor'), 'project-not-found');
    assert.equal(await store.projects.purge(), 0);
    await store.organizations.delete(organizationId, BY);
    assert.equal(await store.serviceAccounts.find(here.ref(id)), null);
  });

  test('records every change and its actor in the audit log, but no refused change', async () => {
    const here = await fixture();
    const account = await here.account('OrgOwner');
    await refuses(here.store.serviceAccounts.delete(account, BY), 'last-owner');
    const query = { organizationId: here.organizationId, limit: 1, before: null };
    const { items, next } = await here.store.audit.list(query);
    assert.deepEqual(
      items.map(({ actor, action, resourceId, outcome }) => ({ actor, action, resourceId, outcome })),
      [{ actor: BY, action: 'service_account.create', resourceId: account.id, outcome: 'allowed' }],
    );
    const older = await here.store.audit.list({ ...query, limit: 10, before: next });
    assert.deepEqual(older.items.map(({ action }) => action).sort(), [
      'organization.create',
      'project.create',
    ]);
    assert.ok(!(await here.actions()).includes('service_account.delete'));
  });

  test('keeps the newest denied accesses up to a limit', async () => {
    const here = await fixture();
    const { organizationId, store } = here;
    const denials = Array.from({ length: 20 }, (_, at) => ({
      organizationId,
      at: `2026-01-01T00:00:${String(at).padStart(2, '0')}.000Z`,
      actor: BY,
      action: 'list_users',
      resourceType: 'organization',
      resourceId: organizationId,
      details: { reason: 'access-forbidden' },
      count: at,
    }));
    await store.audit.recordDenials(denials, 5);
    const query = { organizationId, limit: 100, before: null, outcome: 'denied' } as const;
    const kept = (await store.audit.list(query)).items;
    assert.deepEqual(
      kept.map(({ count }) => count),
      [19, 18, 17, 16, 15],
    );
    assert.equal((await here.actions()).includes('project.create'), true);
    const nobody = { type: 'anonymous', id: '', requestId: null } as const;
    const noise = denials.map((denial) => ({ ...denial, at: `2027${denial.at.slice(4)}`, actor: nobody }));
    await store.audit.recordDenials(noise, 5);
    const withNoise = (await store.audit.list(query)).items;
    assert.deepEqual(
      withNoise.map(({ actor }) => actor.type === 'anonymous'),
      [true, true, true, true, true, false, false, false, false, false],
    );
  });

  test('notifies listeners before the promise of a change resolves, and of no failed change', async () => {
    const here = await fixture();
    const heard: AccessChange['kind'][] = [];
    here.store.access.onChange(({ kind }) => heard.push(kind));
    const key = await here.key('ProjectViewer');
    assert.deepEqual(heard.splice(0), ['key', 'binding']);
    await here.store.apiKeys.delete(key, BY);
    assert.deepEqual(heard.splice(0), ['binding-gone', 'principal-gone']);
    await refuses(here.store.apiKeys.delete(key, BY), 'api-key-not-found');
    assert.deepEqual(heard, []);
  });

  test('lists signing keys newest first, and keeps a limited number', async () => {
    const { store } = await fixture();
    for (const id of ['one', 'two', 'three']) {
      const createdAt = `2026-01-0${['one', 'two', 'three'].indexOf(id) + 1}T00:00:00.000Z`;
      await store.signingKeys.add({ id, secret: id, createdAt }, 2);
    }
    assert.deepEqual(
      (await store.signingKeys.list()).map(({ id }) => id),
      ['three', 'two'],
    );
  });
}
