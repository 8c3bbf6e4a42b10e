// The administration by plain HTTP: exact answers, names and wrong input.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AdminService, type Named } from './support/admin.ts';
import { standard } from './support/bodies.ts';

const NOTHING = '00000000-0000-4000-8000-000000000000';
const MEMBER = [{ resource_type: 'organization', role: 'OrgMember' }];
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Json = Readonly<Record<string, unknown>>;

describe('requests to the administration', () => {
  let admin: AdminService;
  before(async () => {
    admin = await AdminService.start();
  });
  after(async () => {
    assert.equal(admin.service.process.log, '');
    await admin.dispose();
  });

  describe('answers', () => {
    it('have the statuses that strict clients expect, and no body where none belongs', async () => {
      const expects = async (status: number, method: string, path: string, body?: unknown) => {
        const answer = await admin.call(method, path, { body });
        assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
        if (method === 'DELETE') assert.equal(answer.text, '');
        else assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
        return answer.body as Named & { key: Named; service_account: Named };
      };
      await expects(200, 'GET', '/organizations');
      const project = await expects(200, 'POST', '/projects', { name: 'P' });
      await expects(200, 'GET', `/projects/${project.id}`);
      await expects(200, 'PATCH', `/projects/${project.id}`, { name: 'Q' });
      const { key } = await expects(200, 'POST', `/projects/${project.id}/api-keys`, { name: 'k' });
      await expects(200, 'PATCH', `/api-keys/${key.id}`, { name: 'l' });
      await expects(202, 'DELETE', `/api-keys/${key.id}`);
      const { service_account: account } = await expects(201, 'POST', '/service-accounts', { name: 's' });
      await expects(200, 'PATCH', `/service-accounts/${account.id}`, { name: 't' });
      await expects(200, 'POST', `/service-accounts/${account.id}/rotate-secret`);
      const binding = await expects(200, 'POST', '/role-bindings', {
        principal_type: 'service_account',
        principal_id: account.id,
        ...MEMBER[0],
      });
      await expects(200, 'GET', `/role-bindings/${binding.id}`);
      await expects(202, 'DELETE', `/role-bindings/${binding.id}`);
      await expects(202, 'DELETE', `/service-accounts/${account.id}`);
      const invite = await expects(200, 'POST', '/invites', {
        email: 'i@example.org',
        role_bindings: MEMBER,
      });
      await expects(200, 'POST', `/invites/${invite.id}/resend`);
      await expects(202, 'DELETE', `/invites/${invite.id}`);
      await expects(202, 'DELETE', `/projects/${project.id}`);
      for (const list of ['users', 'invites', 'service-accounts', 'role-bindings', 'audit-log']) {
        await expects(200, 'GET', `/${list}`);
      }
    });

    it('have exactly the documented fields', async () => {
      const keysOf = (value: unknown) => Object.keys(value as object).sort();
      const project = await admin.newProject();
      assert.deepEqual(keysOf(project), [
        'created_at',
        'force_encryption_with_cmek',
        'id',
        'max_pods',
        'name',
        'organization_id',
      ]);
      const made = await admin.newKey(project.id);
      assert.deepEqual(keysOf(made), ['key', 'value']);
      assert.deepEqual(keysOf(made.key), ['id', 'name', 'project_id', 'roles']);
      const account = await admin.newAccount();
      assert.deepEqual(keysOf(account), ['client_secret', 'service_account']);
      const { service_account } = account;
      assert.deepEqual(keysOf(service_account), ['client_id', 'created_at', 'id', 'name', 'updated_at']);
      const list = await admin.body<Json>('GET', '/service-accounts?limit=1');
      assert.deepEqual(keysOf(list), ['data', 'pagination']);
      assert.deepEqual(keysOf(list.pagination), ['next']);
      assert.equal((await admin.body<Json>('GET', '/service-accounts')).pagination, null);
      assert.deepEqual(keysOf(await admin.body('GET', '/projects')), ['data']);
      const { data } = await admin.body<{ data: Json[] }>('GET', '/role-bindings');
      const fields = [
        'created_at',
        'id',
        'principal_id',
        'principal_type',
        'resource_id',
        'resource_type',
        'role',
      ];
      assert.deepEqual(keysOf(data[0]), fields);
      assert.match(String(data[0]?.created_at), MOMENT);
      assert.match(String(data[0]?.id), UUID);
    });

    it('are the same for every version of the API, and echo it', async () => {
      const { id } = await admin.newProject();
      const bodies = new Set<string>();
      for (const version of ['2025-04', '2025-10', '2026-04', '2026-07', 'unstable']) {
        const answer = await admin.call('GET', `/projects/${id}`, { version });
        assert.equal(answer.headers['x-service-api-version'], version);
        bodies.add(answer.text);
      }
      const answer = await admin.call('GET', `/projects/${id}`);
      bodies.add(answer.text);
      assert.equal(bodies.size, 1);
      const wrong = await admin.call('GET', `/projects/${id}`, { version: '1999-01' });
      assert.equal(wrong.status, 400);
    });
  });

  describe('names', () => {
    const LONG = 512;
    const SHORT = 80;
    const places = async (): Promise<
      readonly (readonly [method: string, path: string, charsMax: number])[]
    > => {
      const project = await admin.newProject();
      const { key } = await admin.newKey(project.id);
      const { service_account: account } = await admin.newAccount();
      return [
        ['POST', '/projects', LONG],
        ['PATCH', `/projects/${project.id}`, LONG],
        ['POST', `/projects/${project.id}/api-keys`, SHORT],
        ['PATCH', `/api-keys/${key.id}`, SHORT],
        ['POST', '/service-accounts', SHORT],
        ['PATCH', `/service-accounts/${account.id}`, SHORT],
      ];
    };

    it('may have from one character to the bound, of any script', async () => {
      for (const [method, path, charsMax] of await places()) {
        for (const name of ['n', 'n'.repeat(charsMax), '名'.repeat(charsMax), '🌲'.repeat(charsMax)]) {
          const answer = await admin.call(method, path, { body: { name } });
          assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
          assert.ok(answer.text.includes(JSON.stringify(name)));
        }
      }
    });

    it('are refused when empty, one character too long, or with control characters, and change nothing', async () => {
      const wrong = [
        '',
        'tab\t',
        'line\n',
        'nul\u0000',
        'esc\u001b[31m',
        'del\u007f',
        'c1\u009b',
        'rtl\u2028',
      ];
      for (const [method, path, charsMax] of await places()) {
        for (const name of [...wrong, 'n'.repeat(charsMax + 1), '🌲'.repeat(charsMax + 1)]) {
          const answer = await admin.call(method, path, { body: { name } });
          const { message } = (answer.body as { error: { message: string } }).error;
          assert.deepEqual(
            answer.body,
            standard(400, 'INVALID_ARGUMENT', message),
            `${path} ${JSON.stringify(name)}`,
          );
          assert.match(message, /^name must/);
        }
        const lone = await admin.call(method, path, { body: '{"name": "\\ud800"}' });
        assert.equal(lone.status, 400, lone.text);
      }
    });
  });

  describe('wrong requests', () => {
    it('get a message about what is wrong, in the standard body', async () => {
      const refuses = async (body: unknown, status: number, code: string, message: RegExp) => {
        const answer = await admin.call('POST', '/projects', { body });
        const { error } = answer.body as { error: { message: string } };
        assert.deepEqual(answer.body, standard(status, code, error.message));
        assert.match(error.message, message);
      };
      await refuses('{"name": ', 400, 'INVALID_ARGUMENT', /not valid JSON/);
      await refuses(undefined, 400, 'INVALID_ARGUMENT', /not valid JSON: it is empty/);
      await refuses('[]', 400, 'INVALID_ARGUMENT', /must be an object/);
      await refuses({}, 400, 'INVALID_ARGUMENT', /^name is required$/);
      await refuses({ name: { $ne: '' } }, 400, 'INVALID_ARGUMENT', /^name must be a string$/);
      await refuses('{"name": "a", "__proto__": {"x": 1}}', 400, 'INVALID_ARGUMENT', /__proto__/);
      await refuses(`${'['.repeat(200)}${']'.repeat(200)}`, 400, 'INVALID_ARGUMENT', /nested/);
      await refuses({ name: 'a', pad: 'x'.repeat(200_000) }, 413, 'INVALID_ARGUMENT', /exceeds/);
      const headers = { 'content-type': 'text/xml' };
      assert.equal((await admin.call('POST', '/projects', { headers, body: '<a/>' })).status, 415);
    });

    it('get 400 or 404 for odd ids in the path, never 500', async () => {
      const odd = [
        'x',
        '%00',
        '..%2f',
        "1'%20or%20'1'='1",
        '%F0%9F%8C%B2',
        'a'.repeat(5_000),
        NOTHING.slice(1),
      ];
      for (const id of odd) {
        for (const path of [`/projects/${id}`, `/api-keys/${id}`, `/users/${id}`, `/role-bindings/${id}`]) {
          const { status } = await admin.call('GET', path);
          assert.ok([400, 404].includes(status), `${path}: ${status}`);
        }
        assert.equal((await admin.call('GET', `/organizations/${id}`)).status, 404);
      }
    });

    it('find ids in either case', async () => {
      const { id } = await admin.newProject('Case');
      const found = await admin.body<Named>('GET', `/projects/${id.toUpperCase()}`);
      assert.equal(found.id, id);
    });

    it('get 400 for odd filters of a list, whose values reach no query', async () => {
      for (const query of [
        'limit=0',
        'limit=101',
        'limit=',
        'limit=1&limit=2',
        'principal_id=x',
        "principal_type=user'--",
        'role=OrgOwner&role=OrgMember',
        'paginationToken=x',
      ]) {
        assert.equal((await admin.call('GET', `/role-bindings?${query}`)).status, 400, query);
      }
      const { body } = await admin.call('GET', "/audit-log?action='%20or%201=1--");
      assert.deepEqual(body, { data: [], pagination: null });
    });
  });

  describe('cursors', () => {
    it('are refused with any bit changed', async () => {
      await admin.newAccount();
      await admin.newAccount();
      const first = await admin.body<{ pagination: { next: string } }>('GET', '/service-accounts?limit=1');
      const cursor = first.pagination.next;
      assert.equal(
        (await admin.call('GET', `/service-accounts?limit=1&paginationToken=${cursor}`)).status,
        200,
      );
      const bytes = Buffer.from(cursor, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const altered = Buffer.from(bytes);
        altered.writeUInt8((altered[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
        const token = altered.toString('base64url');
        const answer = await admin.call('GET', `/service-accounts?limit=1&paginationToken=${token}`);
        assert.equal(answer.status, 400, `bit ${bit}: ${answer.text}`);
      }
      for (const query of ['limit=2', 'limit=1&x=1']) {
        const answer = await admin.call('GET', `/service-accounts?${query}&paginationToken=${cursor}`);
        // What is no filter of the list does not bind.
        assert.equal(answer.status, query === 'limit=2' ? 400 : 200);
      }
      assert.equal((await admin.call('GET', `/invites?limit=1&paginationToken=${cursor}`)).status, 400);
    });
  });
});
