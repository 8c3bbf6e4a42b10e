// Signing in at a real OpenID provider: whom it makes a member, with which roles, and what it refuses.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeyPair, SignJWT } from 'jose';
import { AdminService } from './support/admin.ts';
import type { Answer } from './support/call.ts';
import { CLIENT_SECRET, OpenIdProvider } from './support/openid-provider.ts';
import { type Session, SignInBrowser } from './support/sign-in-browser.ts';

const MEMBER = [{ resource_type: 'organization', role: 'OrgMember' }];
const RULES = 'admins=OrgOwner,readers=ProjectViewer@default,writers=ProjectEditor@default';

interface Person {
  readonly id: string;
  readonly email: string;
}

describe('a sign-in at an OpenID provider', () => {
  let provider: OpenIdProvider;
  let admin: AdminService;
  before(async () => {
    provider = await OpenIdProvider.start();
    admin = await AdminService.start({
      ...provider.env,
      PINYON_OIDC_ADMIT: 'invite,group,domain:example.com',
      PINYON_OIDC_ROLES: RULES,
    });
    await provider.register(admin.service.url);
  });
  after(async () => {
    await admin.dispose();
    await provider.stop();
  });

  const browser = () => new SignInBrowser(admin.service.url);

  function account(sub: string, groups: readonly string[], email = `${sub}@example.org`): void {
    provider.accounts.set(sub, { email, email_verified: true, name: sub, groups });
    provider.signsIn = sub;
  }

  async function signedIn(sub: string, groups: readonly string[]) {
    account(sub, groups);
    const page = browser();
    const session = sessionOf(await page.signIn());
    return { page, session };
  }

  function sessionOf({ status, body, text }: Answer): Session {
    assert.equal(status, 200, text);
    return body as Session;
  }

  function refused({ status, text }: Answer, words: RegExp): void {
    assert.equal(status, 401, text);
    assert.match(text, words);
  }

  async function personOf(email: string): Promise<Person | undefined> {
    const { data } = await admin.body<{ data: Person[] }>('GET', `/users?email=${encodeURIComponent(email)}`);
    return data[0];
  }

  it('opens a session with the roles of the groups, and goes on where it was begun', async () => {
    account('ada', ['readers', 'unknown']);
    const page = browser();
    const session = sessionOf(await page.signIn({ return_to: '#/search' }));
    assert.deepEqual([session.user, session.return_to], ['ada@example.org', '#/search']);
    assert.deepEqual(session.permissions, ['admin::organization::read']);
    assert.ok(session.projects[0]?.permissions.includes('data_plane::vectors::read'));
    assert.ok(!session.projects[0]?.permissions.includes('data_plane::vectors::write'));
    assert.equal((await page.ask('GET', '/indexes')).status, 200);
  });

  it('gives and takes the roles of groups at each sign-in, in running sessions too, and keeps those of people', async () => {
    const { page, session } = await signedIn('bob', ['readers']);
    const binding = { resource_type: 'organization', role: 'OrgBillingAdmin' };
    await admin.body('POST', '/role-bindings', {
      body: { ...binding, principal_type: 'user', principal_id: session.principal.id },
    });
    const again = await signedIn('bob', ['writers']);
    assert.ok(again.session.projects[0]?.permissions.includes('data_plane::vectors::write'));
    assert.ok(again.session.permissions.includes('admin::billing::read'));
    const { body } = await page.ask('GET', '/console/session');
    assert.deepEqual((body as Session).projects, again.session.projects);
    assert.equal(again.session.principal.id, session.principal.id);
  });

  it('ends the sessions of a person who has lost every group', async () => {
    const { page } = await signedIn('carl', ['readers']);
    account('carl', []);
    refused(await browser().signIn(), /No group of yours has access/);
    assert.equal((await page.ask('GET', '/console/session')).status, 401);
    const { page: back } = await signedIn('carl', ['readers']);
    assert.equal((await back.ask('GET', '/console/session')).status, 200);
  });

  it('refuses somebody without group, invite and domain, and admits by each', async () => {
    account('dora', []);
    refused(await browser().signIn(), /Nobody has invited dora@example.org/);
    account('dina', [], 'dina@example.com');
    assert.equal(sessionOf(await browser().signIn()).user, 'dina@example.com');
    await admin.body('POST', '/invites', { body: { email: 'dora@example.org', role_bindings: MEMBER } });
    account('dora', []);
    assert.equal(sessionOf(await browser().signIn()).user, 'dora@example.org');
    const { data } = await admin.body<{ data: readonly Person[] }>('GET', '/invites');
    assert.deepEqual(
      data.filter(({ email }) => email === 'dora@example.org'),
      [],
    );
    assert.equal(sessionOf(await browser().signIn()).user, 'dora@example.org');
  });

  it('takes no address that the provider has not verified', async () => {
    await admin.body('POST', '/invites', { body: { email: 'eve@example.com', role_bindings: MEMBER } });
    for (const email_verified of [false, undefined]) {
      const verified = email_verified === undefined ? {} : { email_verified };
      provider.accounts.set('eve', { email: 'eve@example.com', ...verified, groups: ['admins'] });
      provider.signsIn = 'eve';
      refused(await browser().signIn(), /no verified e-mail address/);
    }
    assert.equal(await personOf('eve@example.com'), undefined);
  });

  it('never gives an account to another identity of the same address', async () => {
    const { session } = await signedIn('fay', ['admins']);
    account('mallory', ['admins'], 'FAY@example.org');
    refused(await browser().signIn(), /There is an account of/);
    account('fay', ['admins'], 'renamed@example.org');
    assert.equal(sessionOf(await browser().signIn()).principal.id, session.principal.id);
  });

  it('connects an identity to the account of somebody who is signed in, and to no second one', async () => {
    const { page, session } = await signedIn('gil', ['admins']);
    account('gil-elsewhere', [], 'gil@elsewhere.example');
    // Another browser of the person's, where the provider has no session of the first identity.
    const { location, token } = await page.begin({ connect: true });
    const fresh = browser();
    const callback = await fresh.visit(location);
    assert.equal(sessionOf(await page.finish(callback, token)).principal.id, session.principal.id);
    assert.equal(sessionOf(await browser().signIn()).principal.id, session.principal.id);
    const { page: other } = await signedIn('greta', ['admins']);
    provider.signsIn = 'gil-elsewhere';
    const again = await other.begin({ connect: true });
    refused(
      await other.finish(await browser().visit(again.location), again.token),
      /belongs to another account/,
    );
    assert.equal((await browser().ask('POST', '/console/oidc', { connect: true })).status, 401);
  });

  it('connects nothing for a session that has ended meanwhile', async () => {
    const { page } = await signedIn('kim', ['admins']);
    account('kim-elsewhere', [], 'kim@elsewhere.example');
    const { location, token } = await page.begin({ connect: true });
    const callback = await browser().visit(location);
    assert.equal((await page.ask('DELETE', '/console/session')).status, 200);
    refused(await page.finish(callback, token), /has ended/);
    assert.equal(await personOf('kim@elsewhere.example'), undefined);
  });

  it('needs an invite again for a person whom an owner has removed', async () => {
    const { page, session } = await signedIn('hal', ['readers']);
    assert.equal((await admin.call('DELETE', `/users/${session.principal.id}`)).status, 202);
    assert.equal((await page.ask('GET', '/console/session')).status, 401);
    refused(await browser().signIn(), /An owner has removed this account/);
    await admin.body('POST', '/invites', { body: { email: 'hal@example.org', role_bindings: MEMBER } });
    assert.equal(sessionOf(await browser().signIn()).principal.id, session.principal.id);
  });

  it('finishes only where it was begun, with both halves, once', async () => {
    account('ida', ['readers']);
    const page = browser();
    const begun = await page.begin();
    const callback = await page.visit(begun.location);
    refused(await browser().finish(callback, begun.token), /begun elsewhere/);
    const victim = browser();
    await victim.begin();
    refused(await victim.finish(callback, begun.token), /begun elsewhere/);
    refused(await page.finish(callback, 'x'.repeat(43)), /begun elsewhere/);
    refused(await page.finish(callback, begun.token), /begun elsewhere/);
  });

  it('refuses an altered state and a replayed code', async () => {
    account('ida', ['readers']);
    const page = browser();
    const begun = await page.begin();
    const callback = new URLSearchParams(await page.visit(begun.location));
    const state = callback.get('state') ?? '';
    callback.set('state', `${state.slice(0, -2)}xx`);
    refused(await page.finish(`${callback}`, begun.token), /begun elsewhere/);
    const next = await page.begin();
    const other = new URLSearchParams(await page.visit(next.location));
    sessionOf(await page.finish(`${other}`, next.token));
    refused(await page.finish(`${other}`, next.token), /begun elsewhere/);
    const third = await page.begin();
    const replay = new URLSearchParams(await page.visit(third.location));
    replay.set('code', other.get('code') ?? '');
    refused(await page.finish(`${replay}`, third.token), /does not accept its code/);
  });

  it('lets two tabs sign in at the same time', async () => {
    account('jo', ['readers']);
    const page = browser();
    const first = await page.begin();
    const second = await page.begin();
    const callbacks = [await page.visit(first.location), await page.visit(second.location)];
    sessionOf(await page.finish(callbacks[0] ?? '', first.token));
    sessionOf(await page.finish(callbacks[1] ?? '', second.token));
  });

  it('leads nowhere but to the console', async () => {
    account('jo', ['readers']);
    for (const returnTo of [
      'https://evil.example',
      '//evil.example',
      'javascript:alert(1)',
      '/\\evil',
      '#x',
    ]) {
      assert.equal(sessionOf(await browser().signIn({ return_to: returnTo })).return_to, '#/');
    }
    const { status, headers } = await browser().ask(
      'GET',
      '/console/oidc/callback?state=x&code=%23%2F%5C%22&next=//evil.example',
    );
    assert.equal(status, 303);
    assert.match(String(headers.location), /^\.\.\/\.\.\/#\/sign-in\?callback=[\w%.~!*'()-]+$/);
  });

  it('says in words what the provider refuses', async () => {
    provider.signsIn = 'nobody';
    refused(await browser().signIn(), /Test login did not sign you in: You said no/);
  });

  it('refuses ID tokens of another nonce, audience, issuer, key and time', async () => {
    account('kim', ['readers']);
    const { privateKey } = await generateKeyPair('RS256');
    const now = Math.floor(Date.now() / 1_000);
    const forgeries = {
      nonce: { nonce: 'another' },
      aud: { aud: 'another-client' },
      iss: { iss: 'https://evil.example' },
      exp: { exp: now - 61, iat: now - 3_600 },
    };
    for (const [claim, forged] of Object.entries(forgeries)) {
      provider.forge = (claims, sign) => sign({ ...claims, ...forged });
      refused(await browser().signIn(), new RegExp(`not valid here \\(${claim}\\)`));
    }
    provider.forge = (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' }).sign(privateKey);
    refused(await browser().signIn(), /not valid here/);
    provider.forge = async (claims) => {
      const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
      return `${part({ alg: 'none' })}.${part(claims)}.`;
    };
    assert.notEqual((await browser().signIn()).status, 200);
    provider.forge = (claims, sign) => sign({ ...claims, exp: now - 30 });
    sessionOf(await browser().signIn());
    provider.forge = null;
  });

  it('lists and ends own sessions, one or all, and lets an owner end those of others', async () => {
    const { page, session } = await signedIn('lea', ['readers']);
    const { page: second } = await signedIn('lea', ['readers']);
    const list = async () =>
      ((await page.ask('GET', '/console/sessions')).body as { sessions: { id: string; current: boolean }[] })
        .sessions;
    const listed = await list();
    assert.deepEqual(
      listed.map(({ current }) => current),
      [true, false],
    );
    const other = listed.find(({ current }) => !current)?.id;
    assert.equal((await page.ask('DELETE', `/console/sessions/${other}`)).status, 204);
    assert.equal((await page.ask('DELETE', `/console/sessions/${other}`)).status, 404);
    assert.equal((await second.ask('GET', '/console/session')).status, 401);
    const { page: third } = await signedIn('lea', ['readers']);
    assert.equal((await page.ask('DELETE', '/console/sessions')).status, 204);
    for (const each of [page, third]) assert.equal((await each.ask('GET', '/console/session')).status, 401);
    const { page: fourth } = await signedIn('lea', ['readers']);
    assert.equal((await admin.call('DELETE', `/users/${session.principal.id}/sessions`)).status, 202);
    assert.equal((await fourth.ask('GET', '/console/session')).status, 401);
  });

  it('ends the session at the provider, too', async () => {
    const { page } = await signedIn('max', ['readers']);
    const { status, body } = await page.ask('DELETE', '/console/session');
    assert.equal(status, 200);
    const location = new URL((body as { location: string }).location);
    assert.equal(location.origin, provider.issuer);
    assert.equal(location.searchParams.get('post_logout_redirect_uri'), `${admin.service.url}/`);
    assert.equal((await fetch(location)).status, 200);
  });

  it('records sign-ins in the audit log, counts them, and logs no secret', async () => {
    const { data } = await admin.body<{ data: { action: string; details: object }[] }>(
      'GET',
      '/audit-log?action=user.sign_in&limit=1',
    );
    assert.equal(data[0]?.action, 'user.sign_in');
    assert.ok(!admin.service.process.printed.includes(CLIENT_SECRET));
  });

  it('says that the provider is away, while other ways to sign in work', async () => {
    await provider.stop();
    await admin.service.restart({ env: { ...admin.env, ...provider.env } });
    const page = new SignInBrowser(admin.service.url);
    const { status, text } = await page.ask('POST', '/console/oidc', {});
    assert.equal(status, 503, text);
    assert.match(text, /Signing in with Test login does not work at present: it cannot be reached/);
    const { body } = await page.ask('GET', '/console/sign-in');
    assert.deepEqual(body, { provider: { name: 'Test login' } });
  });
});
