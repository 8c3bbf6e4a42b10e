// Conformance of identities at OpenID providers: which account an identity opens, and which it no longer opens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../domain/ids.ts';
import type { AdministrationStore, IdentitySignIn } from '../port.ts';
import { AdministrationFixture, BY, EARLY, generationOf, refuses } from './administration-fixture.ts';

export function describeIdentities(open: () => AdministrationStore): void {
  test('keeps a removed person out of the account of whoever accepts an invite to its address later', async () => {
    const here = await AdministrationFixture.make(open());
    const provider = new ProviderFixture(here);
    await here.account('OrgOwner');
    const groups = { isAdmitted: true, grants: [here.grant('OrgOwner')] };
    const id = await provider.signsIn('alice', groups);
    await here.store.users.remove(here.ref(id), BY);
    const successor = await here.user(provider.addressOf('alice'), 'OrgMember');
    assert.notEqual(successor.id, id, 'an account of their own');
    const elsewhere = provider.addressOf('alice-elsewhere');
    for (const email of [provider.addressOf('alice'), elsewhere]) {
      await refuses(provider.signsIn('alice', { ...groups, email }), 'sign-in-refused');
    }
    const roles = (await here.bindings(successor.id)).map(({ role }) => role);
    assert.deepEqual([await here.bindings(id), roles], [[], ['OrgMember']]);
    await here.invite(elsewhere, 'OrgMember');
    const own = await provider.signsIn('alice', { email: elsewhere });
    assert.ok(![id, successor.id].includes(own), 'an invite of her own gives her an account of her own');
  });

  test("gives an invited identity nothing of a former holder's account", async () => {
    const here = await AdministrationFixture.make(open());
    const provider = new ProviderFixture(here);
    const { id, find } = await memberWithPassword(here, provider.addressOf('bob'));
    await here.unbind(id, 'OrgMember');
    await here.invite(provider.addressOf('bob'), 'OrgMember');
    assert.notEqual(await provider.signsIn('bob'), id);
    assert.equal(await find(), null);
    const { users } = await here.store.access.snapshot();
    assert.ok(!users.some((user) => user.id === id), 'earlier tokens are of nobody');
  });

  test('ends the password and the tokens of a person whom no group admits any more', async () => {
    const here = await AdministrationFixture.make(open());
    const provider = new ProviderFixture(here);
    const { id, find } = await memberWithPassword(here, provider.addressOf('carl'));
    const groups = { isAdmitted: true, grants: [here.grant('OrgBillingAdmin')] };
    await provider.connect(id, 'carl');
    await provider.signsIn('carl', groups);
    await here.unbind(id, 'OrgMember');
    const before = await generationOf(here.store, id);
    assert.equal(await provider.signsIn('carl'), '');
    assert.ok((await generationOf(here.store, id)) > before);
    assert.equal(await provider.signsIn('carl', groups), id);
    assert.equal(await find(), null);
  });

  test('makes an invite to the address of somebody who has become a member worth nothing', async () => {
    const here = await AdministrationFixture.make(open());
    const provider = new ProviderFixture(here);
    const { store } = here;
    const invite = await here.invite(provider.addressOf('eve'), 'OrgMember');
    const groups = { isAdmitted: true, acceptsInvite: false, grants: [here.grant('OrgOwner')] };
    await provider.signsIn('eve', groups);
    assert.equal(await store.invites.find(invite), null);
    assert.deepEqual(await here.bindings(invite.id), []);
    await refuses(here.accept(invite), 'invite-not-found');
  });

  test('lets people of a deleted organization sign in to another one', async () => {
    const gone = await AdministrationFixture.make(open());
    const provider = new ProviderFixture(gone);
    const groups = { isAdmitted: true, grants: [gone.grant('OrgMember')] };
    const id = await provider.signsIn('fay', groups);
    await gone.store.projects.delete(gone.project, BY);
    await gone.store.organizations.delete(gone.organizationId, BY);
    const here = await AdministrationFixture.make(open());
    const { organizationId } = here;
    await here.invite(provider.addressOf('fay'), 'OrgMember');
    const again = await provider.signsIn('fay', { organizationId });
    assert.notEqual(again, id);
    assert.equal(await provider.signsIn('fay', { organizationId }), again);
  });

  test('connects no identity for a session whose tokens were ended meanwhile', async () => {
    const here = await AdministrationFixture.make(open());
    const provider = new ProviderFixture(here);
    const { id } = await here.user(provider.addressOf('erna'), 'OrgMember');
    const begun = await generationOf(here.store, id);
    await here.store.users.endSessions(here.ref(id), BY);
    await refuses(provider.connect(id, 'a-thief', begun), 'sign-in-refused');
    await refuses(provider.signsIn('a-thief', { email: 'thief@example.net' }), 'sign-in-refused');
    await provider.connect(id, 'erna');
  });

  test('opens roles of groups by no password: neither an earlier one nor a new one, nor its tokens', async () => {
    const here = await AdministrationFixture.make(open());
    const provider = new ProviderFixture(here);
    const { id, find } = await memberWithPassword(here, provider.addressOf('dora'));
    const grants = [here.grant('ProjectEditor')];
    await provider.connect(id, 'dora');
    const before = await generationOf(here.store, id);
    await provider.signsIn('dora');
    assert.equal((await find())?.hasGroupRoles, false);
    assert.equal(await generationOf(here.store, id), before, 'no role of a group yet');
    await provider.signsIn('dora', { grants });
    assert.equal((await find())?.hasGroupRoles, true);
    const opened = await generationOf(here.store, id);
    assert.ok(opened > before, 'tokens by the password');
    const change = { hash: 'new', former: 'own' };
    await refuses(here.store.passwords.set(here.ref(id), change, BY), 'invalid-argument');
    await provider.signsIn('dora', { grants });
    assert.equal(await generationOf(here.store, id), opened, 'tokens by the provider');
    await provider.signsIn('dora');
    assert.equal((await find())?.hasGroupRoles, false, 'of no group any more');
    await here.store.passwords.set(here.ref(id), change, BY);
  });
}

async function memberWithPassword(here: AdministrationFixture, email: string) {
  const { store, organizationId } = here;
  const { id } = await here.user(email, 'OrgMember');
  await store.passwords.set(here.ref(id), { hash: 'own', former: null }, BY);
  return { id, find: () => store.passwords.find({ email, organizationId }) };
}

/** An OpenID provider of its own, whose people have addresses of the organization alone. */
class ProviderFixture {
  readonly #here: AdministrationFixture;
  readonly #issuer = `https://${newId()}.example`;

  constructor(here: AdministrationFixture) {
    this.#here = here;
  }

  /** Accounts belong to all organizations of a store. */
  addressOf(subject: string): string {
    return `${subject}@${this.#here.organizationId}.example`;
  }

  /** By default, by a session of the present generation. */
  async connect(id: string, subject: string, generation?: number) {
    const { store } = this.#here;
    const member = { ...this.#here.ref(id), generation: generation ?? (await generationOf(store, id)) };
    return store.identities.connect(member, { issuer: this.#issuer, subject }, BY);
  }

  /** Signs in somebody without groups, and resolves to the id of the account; empty after the loss of admission. */
  async signsIn(subject: string, fields: Partial<IdentitySignIn> = {}): Promise<string> {
    const { store, organizationId } = this.#here;
    const user = await store.identities.signIn({
      ...{ issuer: this.#issuer, subject, email: this.addressOf(subject), name: null },
      ...{ organizationId, isAdmitted: false, acceptsInvite: true, grants: [], at: EARLY, requestId: null },
      ...fields,
    });
    return user?.id ?? '';
  }
}
