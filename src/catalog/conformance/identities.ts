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
    assert.equal(successor.id, id, 'the account of the address');
    const elsewhere = provider.addressOf('alice-elsewhere');
    for (const email of [provider.addressOf('alice'), elsewhere]) {
      await refuses(provider.signsIn('alice', { ...groups, email }), 'sign-in-refused');
    }
    const roles = (await here.bindings(id)).map(({ role }) => role);
    assert.deepEqual(roles, ['OrgMember']);
    await here.invite(elsewhere, 'OrgMember');
    const own = await provider.signsIn('alice', { email: elsewhere });
    assert.notEqual(own, id, 'an invite of her own gives her an account of her own');
  });

  test("gives an invited identity a former holder's account without the password and the tokens", async () => {
    const here = await AdministrationFixture.make(open());
    const provider = new ProviderFixture(here);
    const { store, organizationId } = here;
    const email = provider.addressOf('bob');
    const { id } = await here.user(email, 'OrgMember');
    await store.passwords.set(here.ref(id), { hash: 'former', former: null }, BY);
    await here.unbind(id, 'OrgMember');
    await here.invite(email, 'OrgMember');
    const before = await generationOf(store, id);
    assert.equal(await provider.signsIn('bob'), id);
    assert.equal(await store.passwords.find({ email, organizationId }), null);
    assert.ok((await generationOf(store, id)) > before, 'earlier tokens');
  });

  test('ends the password and the tokens of a person whom no group admits any more', async () => {
    const here = await AdministrationFixture.make(open());
    const provider = new ProviderFixture(here);
    const { store, organizationId } = here;
    const groups = { isAdmitted: true, grants: [here.grant('OrgMember')] };
    const id = await provider.signsIn('carl', groups);
    await store.passwords.set(here.ref(id), { hash: 'own', former: null }, BY);
    const before = await generationOf(store, id);
    assert.equal(await provider.signsIn('carl'), '');
    assert.ok((await generationOf(store, id)) > before);
    assert.equal(await store.passwords.find({ email: provider.addressOf('carl'), organizationId }), null);
    assert.equal(await provider.signsIn('carl', groups), id);
    assert.equal(await store.passwords.find({ email: provider.addressOf('carl'), organizationId }), null);
  });
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
