// People sign in again by password: only by theirs, only as members, only so often. A refusal does not show whether the
// person exists.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { AdministrationFixture, generationOf } from '../../catalog/conformance/administration-fixture.ts';
import type { Catalog } from '../../catalog/port.ts';
import { SYSTEM } from '../../domain/administration/audit.ts';
import type { Session } from '../../domain/administration/identity.ts';
import { memoryCatalog } from '../../http/testing/fakes.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { PeopleService } from './people.ts';
import { Principals } from './principals.ts';
import { createTokenSigner } from './token-signer.ts';
import { Tokens } from './tokens.ts';

const EMAIL = 'ada@example.org';
const PASSWORD = 'correct horse battery';
/** What a password costs is not what these tests are about. */
const CHEAP = { logN: 4, r: 8, p: 1 };

describe('people', () => {
  let catalog: Catalog;
  let here: AdministrationFixture;
  let tokens: Tokens;
  let people: PeopleService;
  let clock: number;

  beforeEach(async () => {
    catalog = await memoryCatalog();
    here = await AdministrationFixture.make(catalog.administration);
    const principals = await Principals.follow(catalog.administration.access);
    tokens = new Tokens(principals, createTokenSigner([{ id: 'k', bytes: new Uint8Array(32).fill(1) }]));
    clock = 0;
    people = new PeopleService({
      passwords: catalog.administration.passwords,
      tokens,
      now: () => clock,
      cost: CHEAP,
    });
  });
  afterEach(() => catalog.close());

  async function sessionOf(email = EMAIL): Promise<Session> {
    const { id } = await here.user(email, 'OrgOwner');
    const { token } = await tokens.issueToUser(id, here.organizationId);
    return (await tokens.sessionOf(token)) ?? assert.fail();
  }

  function signIn(password = PASSWORD, email = EMAIL, address = '192.0.2.1') {
    return people.signIn({ email, password, organizationId: null, address });
  }

  const change = { password: PASSWORD, current: null, requestId: 'r' };

  test("passes the identity check with a person's token, which names the address and a project", async () => {
    const session = await sessionOf();
    const { id: projectId } = here.project;
    assert.deepEqual(session, {
      principal: session.principal,
      user: EMAIL,
      projectId,
      organizationId: here.organizationId,
    });
    const { id } = await here.user('guest@example.org', 'OrgMember');
    const { token } = await tokens.issueToUser(id, here.organizationId);
    assert.equal((await tokens.sessionOf(token))?.projectId, '', 'a person without a project');
  });

  test('signs in with the password that was set, and ends earlier tokens', async () => {
    const { id } = await here.user(EMAIL, 'OrgOwner');
    const before = await tokens.issueToUser(id, here.organizationId);
    const session = (await tokens.sessionOf(before.token)) ?? assert.fail();
    const after = await people.setPassword(session, change);
    assert.equal(await tokens.sessionOf(before.token), undefined);
    assert.notEqual(await tokens.accessOf(after.token), undefined);
    const signedIn = await signIn(PASSWORD, 'ADA@example.org');
    assert.equal(signedIn?.session.user, EMAIL);
    assert.equal(await signIn('another password'), undefined);
    const { hash } =
      (await catalog.administration.passwords.find({ email: EMAIL, organizationId: null })) ?? assert.fail();
    assert.ok(!hash.includes(PASSWORD));
  });

  test('changes a password only by the current one', async () => {
    const session = await sessionOf();
    await people.setPassword(session, change);
    const next = { ...change, password: 'the next password' };
    for (const current of [null, 'wrong']) {
      await assert.rejects(people.setPassword(session, { ...next, current }), /current_password is wrong/);
    }
    await people.setPassword(session, { ...next, current: PASSWORD });
    assert.equal(await signIn(), undefined);
    assert.notEqual(await signIn(next.password), undefined);
  });

  test('opens nothing by a password that was changed while it was checked', async () => {
    const session = await sessionOf();
    await people.setPassword(session, change);
    const { passwords } = catalog.administration;
    const slow = new PeopleService({
      passwords: {
        ...passwords,
        find: async (owner) => {
          const found = await passwords.find(owner);
          await people.setPassword(session, { ...change, password: 'the next password', current: PASSWORD });
          return found;
        },
      },
      tokens,
      cost: CHEAP,
    });
    const login = { email: EMAIL, password: PASSWORD, organizationId: null, address: '192.0.2.1' };
    assert.equal(await slow.signIn(login), undefined);
  });

  test('opens no session of the console once the tokens that the sign-in read have ended', async () => {
    const session = await sessionOf();
    await people.setPassword(session, change);
    const { generation, session: person } = (await signIn()) ?? assert.fail();
    await here.store.users.endSessions(here.ref(person.principal.id), SYSTEM);
    const sessions = new ConsoleSessions(await Principals.follow(catalog.administration.access));
    assert.equal(sessions.find(sessions.open({ ...person, generation }, 'host'), 'host'), undefined);
    assert.notEqual(sessions.find(sessions.open(person, 'host'), 'host'), undefined);
  });

  test('lets only one of two changes win that begin together', async () => {
    const session = await sessionOf();
    const passwords = ['the first password', 'the second password'];
    const outcomes = await Promise.allSettled(
      passwords.map((password) => people.setPassword(session, { ...change, password })),
    );
    const isSet = outcomes.map(({ status }) => status === 'fulfilled');
    assert.equal(isSet.filter(Boolean).length, 1);
    for (const [at, password] of passwords.entries()) {
      assert.equal((await signIn(password)) !== undefined, isSet[at], password);
    }
  });

  test('lets a person change the password while others have used up the attempts to sign in', async () => {
    const session = await sessionOf();
    await people.setPassword(session, change);
    for (let i = 0; i < 10; i++) await signIn('wrong');
    await assert.rejects(signIn(), { condition: 'too-many-attempts' });
    await people.setPassword(session, { ...change, password: 'the next password', current: PASSWORD });
  });

  test('refuses former members, and keys', async () => {
    const session = await sessionOf();
    await here.user('other@example.org', 'OrgOwner');
    await people.setPassword(session, change);
    await here.store.users.remove(here.ref(session.principal.id), SYSTEM);
    assert.equal(await signIn(), undefined);
    const key: Session = { ...session, principal: { type: 'api_key', id: 'k' } };
    await assert.rejects(people.setPassword(key, change), /Only people have passwords/);
  });

  test('sends people with roles of groups to the provider, and tells only those who know the password', async () => {
    const session = await sessionOf();
    await people.setPassword(session, change);
    const identity = { issuer: 'https://login.example.org', subject: 'ada' };
    const ref = here.ref(session.principal.id);
    const generation = await generationOf(here.store, ref.id);
    await here.store.identities.connect({ ...ref, generation }, identity, SYSTEM);
    const { organizationId } = here;
    await here.store.identities.signIn({
      ...identity,
      ...{ email: EMAIL, name: null, organizationId, isAdmitted: true, acceptsInvite: false },
      ...{ grants: [here.grant('ProjectEditor')], at: '2026-01-01T00:00:00.000Z', requestId: null },
    });
    await assert.rejects(signIn(), { condition: 'sign-in-refused', message: /Sign in there/ });
    assert.equal(await signIn('another password'), undefined);
    const next = { ...change, current: PASSWORD };
    await assert.rejects(people.setPassword(session, next), { condition: 'invalid-argument' });
    const { passwords } = catalog.administration;
    const alone = new PeopleService({ passwords, tokens, cost: CHEAP, isProviderOpen: false });
    const login = { email: EMAIL, password: PASSWORD, organizationId: null, address: '192.0.2.1' };
    assert.notEqual(await alone.signIn(login), undefined, 'where there is no provider any more');
  });

  test('bounds attempts alike for known and unknown addresses, in parallel too', async () => {
    await people.setPassword(await sessionOf(), change);
    for (const email of [EMAIL, 'nobody@example.org']) {
      const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => signIn('wrong', email)));
      assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 2, email);
      await assert.rejects(signIn(PASSWORD, email), {
        condition: 'too-many-attempts',
        retryAfterSeconds: 900,
      });
    }
    clock = 15 * 60_000;
    assert.notEqual(await signIn(), undefined);
  });

  test('lets strangers of other networks use up no attempts of a person', async () => {
    await people.setPassword(await sessionOf(), change);
    const stranger = (host: number) => `2001:db8::${host}`;
    for (let i = 0; i < 10; i++) await signIn('wrong', EMAIL, stranger(i));
    await assert.rejects(signIn('wrong', EMAIL, stranger(10)), { condition: 'too-many-attempts' });
    assert.notEqual(await signIn(PASSWORD, EMAIL, '192.0.2.1'), undefined);
  });

  test('bounds attempts from all networks together, but not where the person has signed in', async () => {
    await people.setPassword(await sessionOf(), change);
    assert.notEqual(await signIn(PASSWORD, EMAIL, '192.0.2.1'), undefined);
    const guesses = Array.from({ length: 99 }, (_, at) => `198.51.100.${at}`);
    for (const address of guesses) assert.equal(await signIn('wrong', EMAIL, address), undefined);
    await assert.rejects(signIn(PASSWORD, EMAIL, '203.0.113.1'), { condition: 'too-many-attempts' });
    for (let i = 0; i < 9; i++) assert.equal(await signIn('wrong', EMAIL, '192.0.2.1'), undefined);
    assert.notEqual(await signIn(PASSWORD, EMAIL, '192.0.2.1'), undefined);
    clock = 15 * 60_000;
    assert.notEqual(await signIn(PASSWORD, EMAIL, '203.0.113.1'), undefined);
  });
});
