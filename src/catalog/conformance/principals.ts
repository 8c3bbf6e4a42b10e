// Conformance of API keys, service accounts and role bindings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grant } from '../../domain/administration/model.ts';
import { newId } from '../../domain/ids.ts';
import type { AdministrationStore } from '../port.ts';
import { AdministrationFixture, ALL, BY, EARLY, LATE, refuses } from './administration-fixture.ts';

export function describePrincipals(open: () => AdministrationStore): void {
  const fixture = () => AdministrationFixture.make(open());

  test('keeps the roles of a key equal to its bindings, whichever of the two is changed', async () => {
    const here = await fixture();
    const { store } = here;
    const key = await here.key('ProjectViewer', 'ProjectEditor');
    const roles = async () => (await store.apiKeys.find(key))?.roles;
    assert.deepEqual(await store.apiKeys.find(key), { ...key, roles: ['ProjectEditor', 'ProjectViewer'] });
    assert.deepEqual(await store.apiKeys.update(key, { roles: ['DataPlaneViewer'], name: 'n' }, BY), {
      ...key,
      name: 'n',
      roles: ['DataPlaneViewer'],
    });
    await here.bind('api_key', key.id, 'ProjectEditor');
    assert.deepEqual(await roles(), ['ProjectEditor', 'DataPlaneViewer']);
    await here.unbind(key.id, 'ProjectEditor');
    assert.deepEqual(await roles(), ['DataPlaneViewer']);
    await refuses(here.bind('api_key', key.id, 'ProjectOwner'), 'invalid-argument');
    await refuses(here.bind('api_key', key.id, 'OrgOwner'), 'invalid-argument');
    await refuses(here.bind('api_key', key.id, 'OrgOwner', []), 'principal-not-found');
    assert.equal((await store.apiKeys.list(here.project)).length, 1);
    assert.deepEqual(await store.apiKeys.list({ ...here.project, organizationId: 'other' }), []);
    await store.apiKeys.delete(key, BY);
    assert.deepEqual(await here.bindings(key.id), []);
    await refuses(store.apiKeys.delete(key, BY), 'api-key-not-found');
  });

  test('remembers which keys were deleted by themselves, and not with their project', async () => {
    const here = await AdministrationFixture.make(open());
    const { apiKeys, projects } = here.store;
    const [one, other] = [await here.key('ProjectViewer'), await here.key('ProjectViewer')];
    const before = new Date().toISOString();
    assert.equal(await apiKeys.wasDeleted(one, before), false);
    await apiKeys.delete(one, BY);
    await projects.delete(here.project, BY);
    assert.equal(await apiKeys.wasDeleted(one, before), true);
    assert.equal(await apiKeys.wasDeleted(other, before), false);
    assert.equal(await apiKeys.wasDeleted({ ...one, organizationId: 'other' }, before), false);
    assert.equal(await apiKeys.wasDeleted(one, LATE), false);
  });

  test('keeps the last owner: binding, account and user alike', async () => {
    const here = await fixture();
    const { store } = here;
    const account = await here.account('OrgOwner');
    await here.invite('invited@example.org', 'OrgOwner');
    await refuses(here.unbind(account.id, 'OrgOwner'), 'last-owner');
    await refuses(store.serviceAccounts.delete(account, BY), 'last-owner');
    const user = await here.user('owner@example.org', 'OrgOwner');
    await store.serviceAccounts.delete(account, BY);
    await refuses(store.users.remove(here.ref(user.id), BY), 'last-owner');
    await refuses(here.unbind(user.id, 'OrgOwner'), 'last-owner');
    assert.equal((await here.bindings(user.id)).length, 1);
  });

  test('keeps one of two owners that are removed concurrently', async () => {
    const here = await fixture();
    const accounts = [await here.account('OrgOwner'), await here.account('OrgOwner')];
    const ends = await Promise.allSettled(
      accounts.map((each) => here.store.serviceAccounts.delete(each, BY)),
    );
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  test('binds a role once under concurrent requests', async () => {
    const here = await fixture();
    const { id } = await here.account();
    const attempts = Array.from({ length: 100 }, () => here.bind('service_account', id, 'ProjectViewer'));
    const ends = await Promise.allSettled(attempts);
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
    await refuses(here.bind('service_account', id, 'ProjectViewer'), 'binding-exists');
  });

  test('accepts only bindings with principals and resources of their organization and fitting roles', async () => {
    const here = await fixture();
    const other = await fixture();
    const stranger = await other.account('OrgOwner');
    for (const type of ['user', 'service_account', 'api_key', 'invite'] as const) {
      await refuses(here.bind(type, stranger.id, 'ProjectViewer'), 'principal-not-found');
    }
    const { id } = await here.account();
    const fields = {
      ...here.ref(newId()),
      principal: { type: 'service_account', id },
      createdAt: EARLY,
    } as const;
    const bind = (grant: Grant) => here.store.roleBindings.create({ ...fields, ...grant }, BY);
    await refuses(
      bind({ ...here.grant('ProjectViewer'), resourceId: other.project.id }),
      'project-not-found',
    );
    await refuses(bind({ ...here.grant('OrgMember'), role: 'ProjectViewer' }), 'invalid-argument');
    await refuses(bind({ ...here.grant('ProjectViewer'), role: 'OrgMember' }), 'invalid-argument');
  });

  test('reads service accounts back whole, and keeps the time of the last change in a rotation', async () => {
    const here = await fixture();
    const { store } = here;
    const account = await here.account();
    assert.deepEqual(await store.serviceAccounts.rotateSecret(account, 'bb', BY), account);
    const fields = (await store.access.snapshot()).serviceAccounts.find(({ id }) => id === account.id);
    assert.deepEqual([fields?.secretSha256, fields?.generation], ['bb', 2]);
    const renamed = await store.serviceAccounts.rename(account, { name: 'new', updatedAt: LATE }, BY);
    assert.deepEqual(renamed, { ...account, name: 'new', updatedAt: LATE });
    assert.deepEqual(await store.serviceAccounts.find(account), renamed);
    const gone = { organizationId: 'other', id: account.id };
    await refuses(store.serviceAccounts.rotateSecret(gone, 'cc', BY), 'service-account-not-found');
    await refuses(store.serviceAccounts.delete(gone, BY), 'service-account-not-found');
  });

  test('pages through the list in a fixed order without overlap', async () => {
    const here = await fixture();
    const made = new Set<string>();
    for (let at = 0; at < 7; at += 1) made.add((await here.account('OrgMember')).id);
    const seen: string[] = [];
    for (let after: { createdAt: string; id: string } | null = null, pages = 0; ; pages += 1) {
      const page = await here.store.serviceAccounts.list(here.organizationId, { limit: 3, after });
      seen.push(...page.items.map(({ id }) => id));
      assert.ok(pages < 3);
      if (page.next === null) break;
      after = page.next;
    }
    assert.deepEqual(seen, [...made].sort());
    const exact = await here.store.serviceAccounts.list(here.organizationId, { limit: 7, after: null });
    assert.equal(exact.next, null);
  });

  test('filters lists of bindings by every field and by what the caller may see', async () => {
    const here = await fixture();
    const { id } = await here.account('OrgMember', 'ProjectViewer');
    await here.key('ProjectViewer');
    const count = async (filters: object, visible: 'all' | readonly string[] = 'all') =>
      (await here.store.roleBindings.list(here.organizationId, { ...ALL, visible, ...filters })).items.length;
    assert.equal(await count({}), 3);
    assert.equal(await count({ role: 'ProjectViewer' }), 2);
    assert.equal(await count({ role: 'ProjectViewer', principalType: 'api_key' }), 1);
    assert.equal(await count({ resourceType: 'organization' }), 1);
    assert.equal(await count({ principalType: 'service_account', principalId: id }), 2);
    assert.equal(await count({ resourceType: 'project', resourceId: here.project.id }), 2);
    assert.equal(await count({}, [here.project.id]), 2);
    assert.equal(await count({}, []), 0);
  });
}
