// People: an invite makes one, who passes the identity check, sets a password, and signs in again by it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService, acceptInvite } from './support/admin.ts';
import { type Answer, type CallOptions, call } from './support/call.ts';
import { API_KEY } from './support/service.ts';

const EMAIL = 'Ada@example.org';
const PASSWORD = 'correct horse battery';
const OWNER = [{ resource_type: 'organization', role: 'OrgOwner' }];

interface SignedIn {
  readonly token: string;
  readonly principal: string;
  readonly project_id: string;
}

describe('a person', () => {
  let admin: AdminService;
  let token = '';
  before(async () => {
    admin = await AdminService.start();
    const body = { email: EMAIL, role_bindings: OWNER };
    const { accept_url: link = '' } = await admin.body<{ accept_url?: string }>('POST', '/invites', { body });
    token = ((await acceptInvite(link, 'Ada')).body as { access_token: string }).access_token;
  });
  after(() => admin.dispose());

  function ask(method: string, path: string, options: CallOptions & { readonly token?: string } = {}) {
    const { token: bearer, ...rest } = options;
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    return call(admin.service.url, method, path, { ...rest, headers });
  }

  function logIn(body: object): Promise<Answer> {
    return ask('POST', '/auth/login', { body });
  }

  it('passes the identity check, where a key does too', async () => {
    const { status, body } = await ask('GET', '/api/auth', { token });
    assert.equal(status, 200);
    const { body: ofKey } = await ask('GET', '/api/auth', { key: API_KEY });
    assert.deepEqual(body, { ...(ofKey as object), user: EMAIL });
  });

  it('sets a password, and signs in by it, also after a restart', async () => {
    for (const password of ['short', 7, 'x'.repeat(1_025)]) {
      assert.equal((await ask('PUT', '/auth/password', { token, body: { password } })).status, 400);
    }
    assert.equal((await ask('PUT', '/auth/password', { body: { password: PASSWORD } })).status, 401);
    const set = await ask('PUT', '/auth/password', { token, body: { password: PASSWORD } });
    assert.equal(set.status, 200, set.text);
    assert.equal((await ask('GET', '/api/auth', { token })).status, 401, 'the earlier token');
    await admin.service.restart({ env: admin.env });
    const answer = await logIn({ email: EMAIL.toLowerCase(), password: PASSWORD });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const signedIn = answer.body as SignedIn;
    assert.equal(signedIn.principal, EMAIL);
    assert.equal((await ask('GET', '/api/auth', { token: signedIn.token })).status, 200);
    assert.equal((await admin.call('GET', '/users', { token: signedIn.token })).status, 200);
    assert.equal((await ask('GET', '/indexes', { token: signedIn.token })).status, 401, 'no data by tokens');
  });

  it('gets the same answer for a wrong password and an unknown address, and 429 after many', async () => {
    const wrong = await logIn({ email: EMAIL, password: 'a wrong password' });
    const unknown = await logIn({ email: 'nobody@example.org', password: PASSWORD });
    assert.deepEqual([wrong.status, wrong.text], [401, unknown.text]);
    for (let i = 0; i < 9; i++) await logIn({ email: 'nobody@example.org', password: PASSWORD });
    const refused = await logIn({ email: 'nobody@example.org', password: PASSWORD });
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await logIn({ email: EMAIL, password: PASSWORD })).status, 200, 'another address');
  });

  it('is told of fields that do not fit together', async () => {
    for (const body of [
      { email: EMAIL },
      { password: PASSWORD },
      { email: EMAIL, password: PASSWORD, api_key: API_KEY },
      { email: 7, password: PASSWORD },
    ]) {
      assert.equal((await logIn(body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await logIn({ api_key: API_KEY })).status, 200);
    assert.equal(admin.service.process.log, '');
  });
});
