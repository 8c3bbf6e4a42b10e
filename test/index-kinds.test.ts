// What pod indexes and indexes of dedicated capacity answer differently, and what collections answer at all.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rpc, standard } from './support/bodies.ts';
import { Connection } from './support/connection.ts';
import { type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const RECORDS = [
  { id: 'a', values: [1, 0], metadata: { genre: 'drama', color: 'red' } },
  { id: 'b', values: [0, 1], metadata: { genre: 'news', color: 'red' } },
];

describe('kinds of indexes', () => {
  let service: Service;
  let pods: Connection;
  before(async () => {
    service = await startService();
    const spec = { pod: { environment: 'e', pod_type: 'p1.x1', metadata_config: { indexed: ['genre'] } } };
    pods = new Connection(await service.createIndex({ name: 'pods', dimension: 2, spec }));
    await pods.upsert('n', RECORDS);
  });
  after(async () => {
    pods.close();
    await service.dispose();
  });

  it('serve query, fetch, update, delete and search by vector on pods', async () => {
    const query = { namespace: 'n', vector: [1, 0], topK: 5 };
    const found = await pods.query({ ...query, filter: { genre: 'drama' } });
    assert.deepEqual(found, [{ id: 'a', score: 1, values: [] }]);
    assert.deepEqual(await pods.query({ ...query, filter: { color: 'red' } }), []);
    await pods.post('/vectors/update', { namespace: 'n', id: 'a', setMetadata: { genre: 'opera' } });
    assert.equal((await pods.fetch('n', ['a'])).get('a')?.metadata?.genre, 'opera');
    await pods.post('/vectors/delete', { namespace: 'n', filter: { genre: 'opera' } });
    assert.equal((await pods.fetch('n', ['a'])).size, 0);
    const search = await pods.call('POST', '/records/namespaces/n/search', { query: { top_k: 1, id: 'b' } });
    assert.equal(search.status, 200, search.text);
  });

  it('count by filter on pods, which serverless ones refuse', async () => {
    const counted = await pods.call('POST', '/describe_index_stats', { filter: { genre: 'news' } });
    assert.partialDeepStrictEqual(counted.body, {
      totalVectorCount: 1,
      namespaces: { n: { vectorCount: 1 } },
    });
  });

  it('refuse with 400 on pods what only serverless ones have', async () => {
    const asked = await Promise.all([
      pods.call('GET', '/vectors/list'),
      pods.call('GET', '/namespaces'),
      pods.call('GET', '/namespaces/n'),
      pods.call('DELETE', '/namespaces/n'),
      pods.call('POST', '/namespaces', { name: 'x' }),
      pods.call('POST', '/vectors/fetch_by_metadata', { filter: { genre: 'news' } }),
      pods.call('POST', '/vectors/update', { filter: { genre: 'news' }, setMetadata: { a: 1 } }),
    ]);
    for (const { status, body, text } of asked) {
      assert.equal(status, 400, text);
      assert.partialDeepStrictEqual(body, rpc(3, (body as { message: string }).message));
    }
  });

  it('accept search hints on dedicated capacity, and refuse reads without a replica', async () => {
    const dedicated = (replicas: number) => ({
      mode: 'Dedicated',
      dedicated: { node_type: 'b1', scaling: 'Manual', manual: { replicas, shards: 1 } },
    });
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1', read_capacity: dedicated(1) } };
    const connection = new Connection(await service.createIndex({ name: 'dedicated', dimension: 2, spec }));
    await connection.upsert('', RECORDS);
    const query = { vector: [1, 0], topK: 1 };
    assert.equal((await connection.query({ ...query, scanFactor: 2, maxCandidates: 100 })).length, 1);
    for (const hints of [
      { scanFactor: 0.4 },
      { scanFactor: 4.1 },
      { maxCandidates: 0 },
      { maxCandidates: 100_001 },
    ]) {
      assert.equal((await connection.call('POST', '/query', { ...query, ...hints })).status, 400);
    }
    await configure(dedicated(0));
    const refused = await connection.call('POST', '/query', query);
    assert.equal(refused.status, 400, refused.text);
    await connection.upsert('', [{ id: 'c', values: [1, 1] }]);
    await configure(dedicated(1));
    assert.equal((await connection.query({ ...query, topK: 5 })).length, 3);
    connection.close();
  });

  async function configure(capacity: object): Promise<void> {
    const answer = await service.call('PATCH', '/indexes/dedicated', { body: { read_capacity: capacity } });
    assert.equal(answer.status, 200, answer.text);
    await until(async () =>
      (await service.call('GET', '/indexes/dedicated')).text.includes('"status":{"state":"Ready","current_'),
    );
  }

  it('have no collections: the list is empty, a serverless source refused, a missing one not found', async () => {
    await service.createIndex({ name: 'source', dimension: 2 });
    assert.deepEqual((await service.call('GET', '/collections')).body, { collections: [] });
    const serverless = await service.call('POST', '/collections', { body: { name: 'c', source: 'source' } });
    assert.equal(serverless.status, 400, serverless.text);
    const missing = await service.call('POST', '/collections', {
      body: { name: 'c', source: 'nothing' },
      version: '2026-07',
    });
    assert.equal(missing.status, 404, missing.text);
    const deleted = await service.call('DELETE', '/collections/c');
    assert.deepEqual(deleted.body, standard(404, 'NOT_FOUND', 'Collection c not found.'));
  });
});
