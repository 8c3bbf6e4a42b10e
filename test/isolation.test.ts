// Without a valid key nothing is told: 401 before the path, the version or the body have any say.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rpc, standard, UNAUTHENTICATED } from './support/bodies.ts';
import { type CallOptions, call } from './support/call.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

/** Keys that open nothing. */
const WRONG: readonly (string | null)[] = [
  null,
  '',
  'pcsk_unknown_key',
  `${API_KEY}x`,
  API_KEY.slice(1),
  ' ',
];

const CONTROL = [
  ['GET', '/indexes'],
  ['POST', '/indexes'],
  ['GET', '/indexes/secret'],
  ['PATCH', '/indexes/secret'],
  ['DELETE', '/indexes/secret'],
  ['GET', '/collections'],
  ['GET', '/no/such/path'],
  ['PUT', '/indexes'],
] as const;

const DATA = [
  ['POST', '/vectors/upsert'],
  ['POST', '/vectors/update'],
  ['POST', '/vectors/delete'],
  ['GET', '/vectors/fetch?ids=a'],
  ['GET', '/vectors/list'],
  ['POST', '/vectors/fetch_by_metadata'],
  ['POST', '/query'],
  ['POST', '/describe_index_stats'],
  ['GET', '/namespaces'],
  ['POST', '/namespaces'],
  ['DELETE', '/namespaces/n'],
  ['POST', '/records/namespaces/n/search'],
  ['GET', '/no/such/path'],
  ['PUT', '/query'],
] as const;

/** Requests that would be refused for another reason if anyone looked. */
const BROKEN: readonly CallOptions[] = [
  {},
  { body: '{"vectors": [' },
  { body: 'x'.repeat(100_000) },
  { version: '1999-01' },
  { headers: { 'content-type': 'text/plain' }, body: 'hello' },
];

describe('isolation', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  describe('a caller without a valid key', () => {
    let host: string;
    before(async () => {
      host = await service.createIndex({ name: 'secret', dimension: 2 });
      const vectors = [{ id: 'a', values: [1, 2] }];
      await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body: { vectors, namespace: 'n' } });
    });

    it('gets 401 everywhere, with the same body, whatever else is wrong with the request', async () => {
      for (const [base, requests] of [
        [service.url, CONTROL],
        [host, DATA],
      ] as const) {
        for (const [method, path] of requests) {
          for (const [i, broken] of BROKEN.entries()) {
            if (method === 'GET' && broken.body !== undefined) continue;
            const key = WRONG[i % WRONG.length] ?? null;
            const answer = await call(base, method, path, { ...broken, key });
            const told = `${method} ${path} with ${key} and ${JSON.stringify(broken).slice(0, 60)}`;
            assert.deepEqual([answer.status, answer.body], [401, UNAUTHENTICATED], told);
          }
        }
      }
    });

    it('gets 401 for every kind of wrong key, even in other headers', async () => {
      for (const key of WRONG) {
        const answer = await call(service.url, 'GET', '/indexes', { key });
        assert.deepEqual([answer.status, answer.body], [401, UNAUTHENTICATED], String(key));
      }
      const headers = { authorization: `Bearer ${API_KEY}` };
      assert.equal((await call(service.url, 'GET', '/indexes', { headers })).status, 401);
    });

    it('cannot distinguish an existing index from a missing one', async () => {
      const known = await call(service.url, 'GET', '/indexes/secret', { key: 'pcsk_unknown_key' });
      const unknown = await call(service.url, 'GET', '/indexes/nothing', { key: 'pcsk_unknown_key' });
      assert.deepEqual(known.body, unknown.body);
    });

    it('changed nothing', async () => {
      const stats = await call(host, 'GET', '/vectors/fetch?ids=a&namespace=n', { key: API_KEY });
      assert.deepEqual((stats.body as { vectors: { a: { values: unknown } } }).vectors.a.values, [1, 2]);
      const { body } = await service.call('GET', '/indexes');
      assert.equal((body as { indexes: unknown[] }).indexes.length, 1);
    });
  });

  describe('a caller with a valid key', () => {
    let host: string;
    before(async () => {
      host = await service.createIndex({ name: 'gone', dimension: 2 });
    });

    it('gets 404 for unknown paths, and 405 with the allowed methods', async () => {
      for (const base of [service.url, host]) {
        const answer = await call(base, 'GET', '/no/such/path', { key: API_KEY });
        assert.deepEqual(answer.body, standard(404, 'NOT_FOUND', 'No such path: GET /no/such/path'));
      }
      const answer = await service.call('PUT', '/indexes');
      assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, POST']);
      for (const path of ['/namespaces', '/namespaces/one']) {
        const { status, body } = await call(host, 'PUT', path, { key: API_KEY });
        assert.deepEqual([status, body], [405, rpc(12, `PUT is not supported on ${path}.`)]);
      }
    });

    it('finds no index at the address of a deleted one', async () => {
      await service.call('DELETE', '/indexes/gone');
      const ask = () => call(host, 'POST', '/describe_index_stats', { key: API_KEY, body: {} });
      const message = `No index is served at ${new URL(host).host}.`;
      for (const gone of [false, true]) {
        await until(
          async () => !gone || (await service.call('GET', '/indexes/gone')).status === 404,
          'its end',
        );
        const { status, body } = await ask();
        assert.equal(status, 404);
        assert.partialDeepStrictEqual(body, rpc(5, message));
      }
      await service.restart();
      assert.equal((await ask()).status, 404);
      const other = await service.createIndex({ name: 'other', dimension: 2 });
      assert.notEqual(other, host, 'its port is not reused while there are fresh ones');
    });
  });
});
