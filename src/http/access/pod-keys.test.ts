// Keys without a role on pod indexes: refused, unless the settings open pod indexes to every key of their project.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { controlEndpoints } from '../../api/rest/control-endpoints.ts';
import { dataEndpoints } from '../../api/rest/data-endpoints.ts';
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
      server = await startTestServer({ settings, control, data: dataEndpoints });
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

    test('does not reach a pod index of another project', async () => {
      assert.equal(await statusOf('POST', `http://127.0.0.1:${podPort}/query`, KEY_B), 404);
    });
  });
}
