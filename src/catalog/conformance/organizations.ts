// Organizations, projects, the audit log and signing keys: what every implementation of the catalog must hold of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '../../domain/administration/audit.ts';
import type { AccessChange, AdministrationStore } from '../port.ts';
import { AdministrationFixture, BY, LATE, refuses } from './administration-fixture.ts';

export function describeOrganizations(open: () => AdministrationStore): void {
  const fixture = () => AdministrationFixture.make(open());

  test('organizations and projects come back whole, oldest first, and only in their own organization', async () => {
    const one = await fixture();
    const other = await fixture();
    const { store, organizationId, project } = one;
    const later = { ...one.newProject(), createdAt: LATE, maxPods: 3, forceEncryptionWithCmek: true };
    await store.projects.create(later, SYSTEM);
    assert.deepEqual(await store.projects.list(organizationId), [project, later]);
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

  test('the creator of a project owns it', async () => {
    const here = await fixture();
    const { id } = await here.account('OrgManager');
    const project = here.newProject();
    await here.store.projects.create(project, { type: 'service_account', id, requestId: null });
    const owned = (await here.bindings(id)).find(({ role }) => role === 'ProjectOwner');
    assert.equal(owned?.resourceId, project.id);
  });

  test('a creator that was deleted meanwhile makes no project, and leaves no role of nobody', async () => {
    const here = await fixture();
    const account = await here.account('OrgManager');
    await here.store.serviceAccounts.delete(account, BY);
    const by = { type: 'service_account', id: account.id, requestId: null } as const;
    const project = here.newProject();
    await refuses(here.store.projects.create(project, by), 'unauthenticated');
    assert.equal(await here.store.projects.find(project), null);
    assert.deepEqual(await here.bindings(account.id), []);
  });

  test('a deleted project is gone for everybody at once, its keys and bindings with it', async () => {
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

  test('every change is in the audit log with who asked, and a refused one is not', async () => {
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

  test('denied accesses are kept up to a number, the newest first', async () => {
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
  });

  test('listeners hear of a change before its promise resolves, and of none that fails', async () => {
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

  test('signing keys come back newest first, and only so many are kept', async () => {
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
