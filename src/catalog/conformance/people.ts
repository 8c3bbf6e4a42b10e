// Conformance of users and invites.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../domain/ids.ts';
import type { AdministrationStore } from '../port.ts';
import {
  AdministrationFixture,
  ALL,
  BY,
  EARLY,
  generationOf,
  LATE,
  refuses,
} from './administration-fixture.ts';

export function describePeople(open: () => AdministrationStore): void {
  const fixture = () => AdministrationFixture.make(open());

  test('removes a person from the organization with the last organization role, and refuses while others remain', async () => {
    const here = await fixture();
    const user = await here.user('m@example.org', 'OrgMember', 'ProjectViewer');
    await refuses(here.unbind(user.id, 'OrgMember'), 'last-membership');
    await here.unbind(user.id, 'ProjectViewer');
    await here.unbind(user.id, 'OrgMember');
    assert.equal(await here.store.users.find(here.ref(user.id)), null);
    const invite = await here.invite('m@example.org', 'OrgMember');
    await refuses(here.unbind(invite.id, 'OrgMember'), 'last-membership');
  });

  test('turns an accepted invite into a user with its roles, and gives the next holder of its address a new one', async () => {
    const here = await fixture();
    const { store } = here;
    const invite = await here.invite('Person@Example.org', 'OrgMember', 'ProjectEditor');
    assert.equal((await here.bindings(invite.id)).length, 2);
    const user = await here.accept(invite);
    assert.deepEqual([user.email, user.name], ['Person@Example.org', 'A person']);
    assert.deepEqual(
      (await here.bindings(user.id)).map(({ role, principal }) => [role, principal.type]).sort(),
      [
        ['OrgMember', 'user'],
        ['ProjectEditor', 'user'],
      ],
    );
    assert.deepEqual(await here.bindings(invite.id), []);
    assert.notEqual((await store.invites.find(invite))?.processedAt, null);
    assert.deepEqual((await store.invites.list(here.organizationId, ALL)).items, []);
    for (const again of [
      here.accept(invite),
      store.invites.delete(invite, BY),
      store.invites.resend(invite, LATE, BY),
    ]) {
      await refuses(again, 'invite-processed');
    }
    await refuses(here.invite('person@example.ORG', 'OrgMember'), 'already-member');
    const search = { ...ALL, email: 'PERSON@example.org' };
    assert.deepEqual((await store.users.list(here.organizationId, search)).items, [user]);
    await store.users.remove(here.ref(user.id), BY);
    assert.deepEqual((await store.users.list(here.organizationId, search)).items, []);
    const successor = await here.accept(
      await here.invite('person@example.org', 'OrgMember'),
      EARLY,
      'Another',
    );
    assert.notEqual(successor.id, user.id);
    assert.deepEqual([successor.email, successor.name], ['person@example.org', 'Another']);
    const { users } = await store.access.snapshot();
    assert.ok(!users.some(({ id }) => id === user.id), 'the former account is gone');
  });

  test('keeps a password as long as the membership, for its organization alone', async () => {
    const here = await fixture();
    const elsewhere = await fixture();
    const email = 'Ada@example.org';
    const { id } = await here.user(email, 'OrgMember');
    await elsewhere.user(email, 'OrgMember');
    const { passwords } = here.store;
    const find = (organizationId: string | null) =>
      passwords.find({ email: 'ada@EXAMPLE.org', organizationId });
    assert.equal(await find(null), null);
    await refuses(passwords.set(here.ref(newId()), { hash: 'x', former: null }, BY), 'user-not-found');
    await passwords.set(here.ref(id), { hash: 'first', former: null }, BY);
    for (const former of [null, 'another']) {
      await refuses(passwords.set(here.ref(id), { hash: 'x', former }, BY), 'unauthenticated');
    }
    await passwords.set(here.ref(id), { hash: 'second', former: 'first' }, BY);
    const generation = await passwords.set(elsewhere.ref(id), { hash: 'other', former: null }, BY);
    assert.equal(generation, await generationOf(here.store, id));
    const { organizationId } = here;
    const second = { userId: id, organizationId, hash: 'second', hasGroupRoles: false, generation };
    assert.deepEqual(await find(null), second);
    assert.equal((await find(elsewhere.organizationId))?.hash, 'other');
    await here.store.users.remove(here.ref(id), BY);
    assert.equal(await find(organizationId), null);
    assert.equal((await here.user(email, 'OrgMember')).id, id, 'a member elsewhere keeps the account');
    await passwords.set(here.ref(id), { hash: 'third', former: null }, BY);
    await here.unbind(id, 'OrgMember');
    assert.equal(await find(organizationId), null, 'with the last role');
    assert.equal((await find(null))?.hash, 'other');
  });

  test('ends the tokens of a person with the membership, however it ends', async () => {
    const here = await fixture();
    const { store } = here;
    const email = 'leaver@example.org';
    const { id } = await here.user(email, 'OrgMember', 'OrgBillingAdmin');
    const generation = () => generationOf(store, id);
    const first = await generation();
    await here.unbind(id, 'OrgBillingAdmin');
    assert.equal(await generation(), first, 'still a member');
    await here.unbind(id, 'OrgMember');
    const second = await generation();
    assert.ok(second > first, 'the last role');
    const heard: string[] = [];
    store.access.onChange((change) => {
      if (change.kind === 'principal-gone') heard.push(change.principal.id);
    });
    const again = await here.user(email, 'OrgMember');
    assert.deepEqual(heard, [id], 'nodes forget the former account');
    const third = await generationOf(store, again.id);
    await store.users.remove(here.ref(again.id), BY);
    assert.ok((await generationOf(store, again.id)) > third, 'removal');
  });

  test('keeps no person and no audit log of an organization that is deleted, and those of others', async () => {
    const [gone, here] = [await fixture(), await fixture()];
    const { store } = here;
    const [alone, removed, both] = ['alone', 'removed', 'both'].map(
      (name) => `${name}@${gone.organizationId}.example`,
    );
    const ids = [];
    for (const email of [alone, removed, both]) ids.push((await gone.user(email ?? '', 'OrgMember')).id);
    await gone.store.users.remove(gone.ref(ids[1] ?? ''), BY);
    await here.user(both ?? '', 'OrgMember');
    const stays = await here.user('stays@example.org', 'OrgMember');
    await store.users.remove(here.ref(stays.id), BY);
    const takenOut = await here.user('taken-out@example.org', 'OrgMember');
    await here.unbind(takenOut.id, 'OrgMember');
    await store.projects.delete(gone.project, BY);
    await store.organizations.delete(gone.organizationId, BY);
    await store.projects.purge();
    const known = new Set((await store.access.snapshot()).users.map(({ id }) => id));
    assert.deepEqual(
      [...ids, stays.id, takenOut.id].map((id) => known.has(id)),
      [false, false, true, true, true],
    );
    assert.deepEqual(await gone.actions(), ['organization.delete']);
    assert.ok((await here.actions()).length > 3);
  });

  test('accepts an invite only by its newest link, before its expiry', async () => {
    const here = await fixture();
    const first = await here.invite('late@example.org', 'OrgMember');
    const second = await here.store.invites.resend(first, '2026-02-01T00:00:00.000Z', BY);
    await refuses(here.accept(first), 'invite-not-found');
    await refuses(here.accept(second, '2026-02-01T00:00:00.000Z'), 'invite-not-found');
    await refuses(here.accept({ id: newId(), linkNumber: 1 }), 'invite-not-found');
    await here.accept(second, '2026-01-31T23:59:59.999Z');
  });

  test('allows one open invite per address under concurrent requests', async () => {
    const here = await fixture();
    const attempts = Array.from({ length: 30 }, (_, at) =>
      here.invite(at % 2 === 0 ? 'one@example.org' : 'ONE@example.org', 'OrgMember'),
    );
    const ends = await Promise.allSettled(attempts);
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
    const [invite] = (await here.store.invites.list(here.organizationId, ALL)).items;
    await assert.rejects(here.invite('one@example.org', 'OrgMember'), new RegExp(invite?.id ?? 'none'));
    await here.store.invites.delete(here.ref(invite?.id ?? ''), BY);
    assert.deepEqual(await here.bindings(), []);
    await here.invite('one@example.org', 'OrgMember');
  });

  test('limits an organization to a hundred invites an hour, including resent ones', async () => {
    const here = await fixture();
    const invite = await here.invite('0@example.org', 'OrgMember');
    for (let at = 1; at < 99; at += 1) await here.invite(`${at}@example.org`, 'OrgMember');
    await here.store.invites.resend(invite, LATE, BY);
    await refuses(here.store.invites.resend(invite, LATE, BY), 'invites-exhausted');
    await refuses(here.invite('more@example.org', 'OrgMember'), 'invites-exhausted');
  });
}
