// Keys without a role on pod indexes: refused, unless the settings open pod indexes to every key of their project.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { consoleEndpoints } from '../../api/rest/console-endpoints.ts';
import { controlEndpoints } from '../../api/rest/control-endpoints.ts';
import { dataEndpoints } from '../../api/rest/data-endpoints.ts';
import { digestOf } from '../../domain/administration/credentials.ts';
import { membersOf } from '../../domain/json.ts';
import { CREATED_AT } from '../testing/fakes.ts';
import { KEY_A, KEY_B, startTestServer } from '../testing/start-test-server.ts';

const ANSWERED = async () => ({ status: 200, body: {} });
const control = controlEndpoints.map((each) => ({ ...each, handle: ANSWERED }));
const POD = {
  kind: 'pod',
  environment: 'e',
  podType: 'p1.x1',
  replicas: 1,
  shards: 1,
  metadataIndexed: null,
  sourceCollection: null,
} as const;

for (const podKeyRoles of [true, false]) {
  describe(`a key without roles, with PINYON_POD_KEY_ROLES=${podKeyRoles}`, () => {
    let server: Awaited<ReturnType<typeof startTestServer>>;
    let podPort = 0;
    before(async () => {
      const settings = { drainSeconds: 1, podKeyRoles };
      server = await startTestServer({ settings, control, data: dataEndpoints, console: consoleEndpoints });
      podPort = await server.openIndex({ id: 'pods', projectId: 'project-a', deployment: POD });
      const binding = {
        id: 'binding-a',
        organizationId: 'org',
        principal: { type: 'api_key', id: 'key-a' },
        resourceType: 'project',
        resourceId: 'project-a',
        role: 'ProjectEditor',
        createdAt: CREATED_AT,
      } as const;
      server.principals.apply({ kind: 'binding-gone', binding });
    });
    after(() => server.server.stop());

    async function statusOf(method: string, url: string, key = KEY_A): Promise<number> {
      const body = method === 'POST' ? '{}' : null;
      const response = await fetch(url, { method, headers: { 'api-key': key }, body });
      await response.arrayBuffer();
      return response.status;
    }

    /** Headers of a session of the console. */
    async function sessionOf(credential: object): Promise<Readonly<Record<string, string>>> {
      const response = await fetch(`${server.base}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(credential),
      });
      const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
      return { cookie, 'x-pinyon-session': String(membersOf(await response.json()).token) };
    }

    /** Of a service account that may only see the settings of project A. */
    function sessionOfMember(): Promise<Readonly<Record<string, string>>> {
      const principal = { type: 'service_account', id: 'account' } as const;
      const secretSha256 = digestOf('secret');
      const account = { ...{ id: principal.id, clientId: 'client' }, organizationId: 'org', generation: 1 };
      server.principals.apply({ kind: 'service-account', account: { ...account, secretSha256 } });
      const grant = { resourceType: 'project', resourceId: 'project-a', role: 'ProjectMember' } as const;
      const binding = { id: 'binding-account', organizationId: 'org', principal, createdAt: CREATED_AT };
      server.principals.apply({ kind: 'binding', binding: { ...binding, ...grant } });
      return sessionOf({ client_id: 'client', client_secret: 'secret' });
    }

    test(`${podKeyRoles ? 'is refused on' : 'may do everything with'} a pod index`, async () => {
      const expected = podKeyRoles ? 403 : 200;
      const pods = `http://127.0.0.1:${podPort}`;
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        assert.equal(await statusOf(method, `${server.base}/indexes/pods`), expected, method);
      }
      for (const path of ['/query', '/vectors/upsert', '/vectors/delete']) {
        assert.equal(await statusOf('POST', pods + path), expected, path);
      }
    });

    test('is refused on whatever makes another index', async () => {
      const makers = control.filter(({ permission }) => permission === 'control_plane::indexes::create');
      const below = makers.filter(({ path }) => path.startsWith('/indexes/{index_name}/'));
      assert.ok(below.length > 0, 'recoveries');
      for (const { method, path } of below) {
        assert.equal(await statusOf(method, server.base + path.replace('{index_name}', 'pods')), 403, path);
      }
    });

    test('is refused on other indexes, on lists and on creation', async () => {
      for (const path of ['/indexes/a-index', '/indexes/unknown', '/indexes', '/collections']) {
        assert.equal(await statusOf('GET', server.base + path), 403, path);
      }
      assert.equal(await statusOf('POST', `${server.base}/indexes`), 403);
      assert.equal(await statusOf('POST', `${server.indexBase}/query`), 403);
    });

    test('leaves people and service accounts at the console to their roles', async () => {
      const headers = await sessionOfMember();
      const statusOfMember = async (method: string, path: string, body: string | null = null) => {
        const response = await fetch(server.base + path, { method, headers, body });
        await response.arrayBuffer();
        return response.status;
      };
      for (const method of ['GET', 'PATCH', 'DELETE'])
        assert.equal(await statusOfMember(method, '/indexes/pods'), 403, method);
      for (const path of ['query', 'vectors/upsert', 'vectors/delete'])
        assert.equal(await statusOfMember('POST', `/data/pods/${path}`, '{}'), 403, path);
    });

    test('may do at the console what it may do without', async () => {
      const headers = await sessionOf({ api_key: KEY_A });
      const { status } = await fetch(`${server.base}/indexes/pods`, { headers });
      assert.equal(status, podKeyRoles ? 403 : 200);
    });

    test('does not reach a pod index of another project', async () => {
      assert.equal(await statusOf('POST', `http://127.0.0.1:${podPort}/query`, KEY_B), 404);
    });
  });
}
