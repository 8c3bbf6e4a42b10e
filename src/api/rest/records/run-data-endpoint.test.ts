// Guarantees of every data endpoint: freshness headers, index kinds, paused reads, unknown errors.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FAULTS } from '../../../domain/faults.ts';
import { dataEndpoints } from '../data-endpoints.ts';
import { assertRefused, dataError, makeTestIndex, store } from '../testing/data-client.ts';

const QUERY = { body: { vector: [1, 2, 3], topK: 1 } };
const NAMESPACE = { params: { namespace: 'n' } };

describe('freshness headers', () => {
  it('give the LSN of a write, and of the reads that see it', async () => {
    const { call } = makeTestIndex();
    const body = { vectors: [{ id: 'a', values: [1, 2, 3] }] };
    await call('upsert_vectors', { body });
    const write = await call('upsert_vectors', { body });
    assert.equal(write.headers['x-pinecone-request-lsn'], '2');
    assert.equal(write.headers['x-pinecone-lsn-committed'], '2');
    const read = await call('query_vectors', QUERY);
    for (const name of ['max-indexed-lsn', 'lsn-committed', 'lsn-reconciled']) {
      assert.equal(read.headers[`x-pinecone-${name}`], '2');
    }
  });

  it('are not sent by pod-based indexes', async () => {
    const { call } = makeTestIndex({ kind: 'pod' });
    const write = await call('upsert_vectors', { body: { vectors: [{ id: 'a', values: [1, 2, 3] }] } });
    const read = await call('query_vectors', QUERY);
    const type = { 'content-type': 'application/json; charset=utf-8' };
    assert.deepEqual([write.headers, read.headers], [type, type]);
  });
});

describe('pod-based indexes', () => {
  it('refuse what only serverless indexes have', async () => {
    const { call } = makeTestIndex({ kind: 'pod' });
    const byFilter = { body: { filter: { a: 1 }, setMetadata: { b: 1 } } };
    const refused = [
      call('list_vectors'),
      call('fetch_vectors_by_metadata', { body: { filter: { a: 1 } } }),
      call('update_vectors', byFilter),
      call('create_namespace', { body: { name: 'n' } }),
      call('list_namespaces'),
      call('describe_namespace', NAMESPACE),
      call('delete_namespace', NAMESPACE),
    ];
    for (const reply of refused) {
      await assertRefused(reply, /supported on serverless indexes only; sample is a pod-based index$/);
    }
  });

  it('take every other operation, searches by vector and id included', async () => {
    const { call } = makeTestIndex({ kind: 'pod' });
    await store(call, [{ id: 'a', values: [1, 2, 3], metadata: { g: 1 } }], 'n');
    const query = { id: 'a', top_k: 1 };
    const replies = [
      await call('query_vectors', QUERY),
      await call('fetch_vectors', { query: { ids: 'a' } }),
      await call('update_vectors', { body: { id: 'a', setMetadata: { b: 1 } } }),
      await call('search_records', { ...NAMESPACE, body: { query } }),
      await call('delete_vectors', { body: { filter: { g: 1 }, namespace: 'n' } }),
    ];
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
  });
});

describe('an index whose reads are paused', () => {
  it('refuses reads of records, and takes writes and stats', async () => {
    const { call } = makeTestIndex({ dedicated: true, readable: false });
    await store(call, [{ id: 'a', values: [1, 2, 3] }]);
    const message = 'Reads on index sample are paused: its read capacity has 0 replicas.';
    const reads = [
      call('query_vectors', QUERY),
      call('fetch_vectors', { query: { ids: 'a' } }),
      call('fetch_vectors_by_metadata', { body: { filter: { a: 1 } } }),
      call('list_vectors'),
      call('search_records', { ...NAMESPACE, version: '2026-04' }),
    ];
    for (const reply of reads) {
      const { status, json } = await reply;
      assert.deepEqual(
        [status, json],
        [400, dataError({ status: 400, name: 'FAILED_PRECONDITION', code: 9 }, message)],
      );
    }
    assert.equal((await call('get_index_stats')).status, 200);
    assert.equal((await call('list_namespaces')).status, 200);
  });
});

describe('unknown errors', () => {
  it('become a plain 500, and are reported in full', async () => {
    const index = makeTestIndex();
    const secret = new Error('row 7 of /data/records is damaged');
    index.store.explainQuery = async () => {
      throw secret;
    };
    const reply = await index.call('query_vectors', QUERY);
    assert.deepEqual(
      [reply.status, reply.json],
      [500, dataError({ status: 500, name: 'UNKNOWN', code: 2 }, 'Internal server error')],
    );
    assert.deepEqual(index.errors, [secret]);
  });
});

describe('the list of data endpoints', () => {
  it('has one endpoint for each id and for each method and path', () => {
    const addresses = dataEndpoints.map(({ method, path }) => `${method} ${path}`);
    assert.equal(new Set(addresses).size, dataEndpoints.length);
    assert.equal(new Set(dataEndpoints.map(({ id }) => id)).size, dataEndpoints.length);
  });

  it('declares faults of the catalog, and a schema for every path parameter', () => {
    for (const { faults, path, params } of dataEndpoints) {
      for (const name of faults) assert.ok(name in FAULTS, name);
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(Object.keys(params?.properties ?? {}), names);
    }
  });
});
