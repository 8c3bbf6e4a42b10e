// The administration and its callers: wrong credentials, other people's things, many at once, and the log of it all.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService, type Named } from './support/admin.ts';
import { UNAUTHENTICATED } from './support/bodies.ts';
import { type Answer, call } from './support/call.ts';
import { API_KEY } from './support/service.ts';
import { until } from './support/until.ts';

const NOTHING = '00000000-0000-4000-8000-000000000000';
const MEMBER = [{ resource_type: 'organization', role: 'OrgMember' }];
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Json = Readonly<Record<string, unknown>>;

describe('callers of the administration', () => {
  let admin: AdminService;
  before(async () => {
    admin = await AdminService.start();
  });
  after(async () => {
    assert.equal(admin.service.process.log, '');
    await admin.dispose();
  });

  /** Status, content type and body: all that a caller could tell answers apart by, but for the request's own id. */
  function comparable({ status, headers, text }: Answer): unknown {
    const { date, 'x-request-id': _, 'x-pinecone-request-id': __, ...rest } = headers;
    return { status, headers: { ...rest, date: typeof date }, text };
  }

  describe('credentials', () => {
    it('give no access elsewhere: a key to no administration, a token to no index', async () => {
      const { url } = admin.service;
      for (const path of ['/admin/projects', '/admin/organizations', '/admin/audit-log', '/admin/users']) {
        for (const headers of [{}, { 'api-key': API_KEY }, { authorization: `Bearer ${API_KEY}` }]) {
          const answer = await call(url, 'GET', path, { headers });
          assert.deepEqual([answer.status, answer.body], [401, UNAUTHENTICATED], path);
        }
      }
      const { token } = await admin.newcomer([{ resource_type: 'organization', role: 'OrgOwner' }]);
      for (const headers of [{ authorization: `Bearer ${token}` }, { 'api-key': token }]) {
        const answer = await call(url, 'GET', '/indexes', { headers });
        assert.deepEqual([answer.status, answer.body], [401, UNAUTHENTICATED]);
      }
    });

    it('are checked before the body is read', async () => {
      const { url } = admin.service;
      const answer = await call(url, 'POST', '/admin/projects', { body: '{"name": ' });
      assert.deepEqual([answer.status, answer.body], [401, UNAUTHENTICATED]);
      const { token } = await admin.newcomer(MEMBER);
      const denied = await admin.call('POST', '/projects', { token, body: '{"name": ' });
      assert.equal(denied.status, 403);
      assert.equal((denied.body as { error: { code: string } }).error.code, 'FORBIDDEN');
    });
  });

  describe('a caller of another project', () => {
    it('gets the same bytes as for "not found" for everything that is not its own', async () => {
      const [own, foreign] = [await admin.newProject('Own'), await admin.newProject('Foreign')];
      const role = { resource_type: 'project', resource_id: own.id, role: 'ProjectOwner' };
      const { token } = await admin.newcomer([role]);
      const { key } = await admin.newKey(foreign.id);
      const { service_account: account } = await admin.newAccount();
      const binding = await admin.body<Named>('POST', '/role-bindings', {
        body: {
          principal_type: 'service_account',
          principal_id: account.id,
          resource_type: 'project',
          resource_id: foreign.id,
          role: 'ProjectViewer',
        },
      });
      const things: readonly (readonly [string, string, readonly string[]])[] = [
        ['/projects/', foreign.id, ['GET', 'PATCH', 'DELETE']],
        ['/api-keys/', key.id, ['GET', 'PATCH', 'DELETE']],
        ['/role-bindings/', binding.id, ['GET', 'DELETE']],
      ];
      for (const [path, id, methods] of things) {
        for (const method of methods) {
          const body = method === 'PATCH' ? { name: 'x' } : undefined;
          const there = await admin.call(method, `${path}${id}`, { token, body });
          const nowhere = await admin.call(method, `${path}${NOTHING}`, { token, body });
          assert.equal(there.status, 404, there.text);
          assert.deepEqual(
            comparable({ ...there, text: there.text.replaceAll(id, NOTHING) }),
            comparable(nowhere),
          );
        }
      }
      for (const [method, body] of [['GET'], ['POST', { name: 'k' }]] as const) {
        const there = await admin.call(method, `/projects/${foreign.id}/api-keys`, { token, body });
        const nowhere = await admin.call(method, `/projects/${NOTHING}/api-keys`, { token, body });
        assert.equal(there.status, 404);
        assert.deepEqual(
          comparable({ ...there, text: there.text.replaceAll(foreign.id, NOTHING) }),
          comparable(nowhere),
        );
      }
      const { data } = await admin.body<{ data: Named[] }>('GET', '/projects', { token });
      assert.deepEqual(
        data.map(({ id }) => id),
        [own.id],
      );
    });
  });

  describe('many at once', () => {
    it('let one of a hundred creations of one index name succeed', async () => {
      const { value } = await admin.newKey((await admin.newProject()).id);
      const body = {
        name: 'wanted',
        dimension: 2,
        spec: { serverless: { cloud: 'aws', region: 'us-east-1' } },
      };
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => call(admin.service.url, 'POST', '/indexes', { key: value, body })),
      );
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, ...Array.from({ length: 99 }, () => 409)]);
    });

    it('let one of a hundred invites of one address succeed, and one of a hundred equal bindings', async () => {
      const body = { email: 'race@example.org', role_bindings: MEMBER };
      const invites = await Promise.all(
        Array.from({ length: 100 }, () => admin.call('POST', '/invites', { body })),
      );
      assert.equal(invites.filter(({ status }) => status === 200).length, 1);
      assert.equal(invites.filter(({ status }) => status === 409).length, 99);
      const { service_account: account } = await admin.newAccount();
      const binding = { principal_type: 'service_account', principal_id: account.id, ...MEMBER[0] };
      const bindings = await Promise.all(
        Array.from({ length: 100 }, () => admin.call('POST', '/role-bindings', { body: binding })),
      );
      assert.equal(bindings.filter(({ status }) => status === 200).length, 1);
      assert.equal(bindings.filter(({ status }) => status === 409).length, 99);
    });
  });

  describe('the audit log', () => {
    it('names the actor, the resource and the request of a change', async () => {
      const answer = await admin.call('POST', '/projects', { body: { name: 'Logged' } });
      const { id } = answer.body as Named;
      const { data } = await admin.body<{ data: Json[] }>('GET', `/audit-log?resource_id=${id}`);
      const [entry] = data.filter(({ action }) => action === 'project.create');
      assert.equal(entry?.request_id, answer.headers['x-request-id']);
      assert.equal(entry?.outcome, 'allowed');
      assert.match(JSON.stringify(entry?.actor), /^{"type":"service_account","id":"[\w-]{36}"}$/);
      assert.match(String(entry?.created_at), MOMENT);
    });

    it('has denied accesses, by name and without one', async () => {
      const { id, token } = await admin.newcomer(MEMBER);
      await admin.call('POST', '/projects', { token, body: { name: 'x' } });
      await call(admin.service.url, 'GET', '/admin/users');
      const denied = async () =>
        (await admin.body<{ data: Json[] }>('GET', '/audit-log?outcome=denied')).data.map(
          ({ action, actor }) => `${String(action)} ${String((actor as Json).id)}`,
        );
      const wanted = [`create_project ${id}`, 'list_users null'];
      // Denials are written together, a moment after their answers.
      await until(async () => {
        const seen = await denied();
        return wanted.every((each) => seen.includes(each));
      }, 'the log of both denials');
    });
  });
});
