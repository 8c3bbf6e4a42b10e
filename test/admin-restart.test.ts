// The administration across the ends of the server: what was answered holds, whatever way the process went.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { AdminService, acceptInvite, exchange } from './support/admin.ts';
import { call } from './support/call.ts';

const MEMBER = [{ resource_type: 'organization', role: 'OrgMember' }];

interface Made {
  readonly id: string;
  readonly key: { readonly id: string };
  readonly value: string;
  readonly service_account: { readonly id: string; readonly client_id: string };
  readonly client_secret: string;
  readonly accept_url: string;
  readonly pagination: { readonly next: string };
}

describe('restarts of the administration', () => {
  let admin: AdminService;
  before(async () => {
    admin = await AdminService.start();
  });
  after(() => admin.dispose());

  /** One kill for all: each of these prepares what it is about, and returns what must hold after the kill. */
  const GUARANTEES: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
    'a project deleted before a kill stays deleted, and its name, keys and index with it': async () => {
      const project = await admin.body<Made>('POST', '/projects', { body: { name: 'Short-lived' } });
      const path = `/projects/${project.id}`;
      const { value } = await admin.body<Made>('POST', `${path}/api-keys`, { body: { name: 'key' } });
      const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } };
      const { url } = admin.service;
      const index = { name: 'going', dimension: 2, spec };
      assert.equal((await call(url, 'POST', '/indexes', { key: value, body: index })).status, 201);
      assert.equal((await call(url, 'DELETE', '/indexes/going', { key: value })).status, 202);
      assert.equal((await admin.call('DELETE', path)).status, 202);
      return async () => {
        assert.equal((await admin.call('GET', path)).status, 404);
        assert.equal((await call(admin.service.url, 'GET', '/indexes', { key: value })).status, 401);
      };
    },

    'keys, secrets, roles, links, tokens and cursors made before a kill work after it': async () => {
      const project = await admin.body<Made>('POST', '/projects', { body: { name: 'Lasting' } });
      const key = await admin.body<Made>('POST', `/projects/${project.id}/api-keys`, {
        body: { name: 'key' },
      });
      const robot = await admin.body<Made>('POST', '/service-accounts', {
        body: { name: 'robot', role_bindings: MEMBER },
      });
      const { id: newcomer, token } = await admin.newcomer(MEMBER);
      const invite = await admin.body<Made>('POST', '/invites', {
        body: { email: 'ada@example.org', role_bindings: MEMBER },
      });
      const page = await admin.body<Made>('GET', '/service-accounts?limit=1');
      return async () => {
        const { url } = admin.service;
        assert.equal((await call(url, 'GET', '/indexes', { key: key.value })).status, 200);
        const credentials = { clientId: robot.service_account.client_id, clientSecret: robot.client_secret };
        assert.equal((await exchange(url, credentials)).status, 200);
        assert.equal((await admin.call('GET', '/organizations', { token })).status, 200);
        const next = `/service-accounts?limit=1&paginationToken=${page.pagination.next}`;
        assert.equal((await admin.call('GET', next)).status, 200);
        // The port is another one after each start; people reach a server by one address.
        const link = new URL(invite.accept_url);
        const accepted = await acceptInvite(`${url}${link.pathname}${link.search}`);
        assert.equal(accepted.status, 200, accepted.text);
        assert.equal((await admin.call('DELETE', `/service-accounts/${newcomer}`)).status, 202);
      };
    },

    'what was revoked before a kill stays revoked': async () => {
      const { id, token } = await admin.newcomer(MEMBER);
      const rotated = await admin.body<Made>('POST', `/service-accounts/${id}/rotate-secret`);
      const gone = await admin.newcomer(MEMBER);
      assert.equal((await admin.call('DELETE', `/service-accounts/${gone.id}`)).status, 202);
      return async () => {
        assert.equal((await admin.call('GET', '/organizations', { token })).status, 401);
        assert.equal((await admin.call('GET', '/organizations', { token: gone.token })).status, 401);
        const { client_id: clientId } = rotated.service_account;
        const credentials = { clientId, clientSecret: rotated.client_secret };
        assert.equal((await exchange(admin.service.url, credentials)).status, 200);
      };
    },
  };

  test('the administration after a kill', async (context) => {
    const names = Object.keys(GUARANTEES);
    const checks = new Map<string, () => Promise<void>>();
    // The kill comes right after the deletion of the project: its purge goes on after the start.
    for (const name of names.toReversed()) {
      const prepare = GUARANTEES[name];
      if (prepare !== undefined) checks.set(name, await prepare());
    }
    await admin.service.kill();
    await admin.service.start({ env: admin.env });
    for (const [name, check] of checks) await context.test(name, check);
    await context.test('reports no failure of background work', async () => {
      assert.deepEqual(await admin.service.stop(), { code: 0, signal: null });
      assert.equal(admin.service.process.log, '');
    });
  });
});
