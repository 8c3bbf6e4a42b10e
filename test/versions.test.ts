// The version header under both its names: what is accepted, what is refused, and the index object of each version.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { standard } from './support/bodies.ts';
import { call } from './support/call.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const OLDER = ['2024-04', '2024-07', '2024-10', '2025-01', '2025-04', '2025-10', '2026-04'];
const NEWER = ['2026-07', 'unstable', '2026-01.alpha', '2026-01'];

describe('the version header', () => {
  let service: Service;
  let host: string;
  let older: Readonly<Record<string, unknown>>;
  let newer: Readonly<Record<string, unknown>>;
  before(async () => {
    service = await startService();
    host = await service.createIndex({ name: 'shape', dimension: 3, metric: 'euclidean' });
    const read_capacity = {
      mode: 'OnDemand',
      status: { state: 'Ready', current_replicas: null, current_shards: null },
    };
    older = {
      name: 'shape',
      vector_type: 'dense',
      metric: 'euclidean',
      dimension: 3,
      status: { ready: true, state: 'Ready' },
      host,
      spec: { serverless: { cloud: 'aws', region: 'us-east-1', read_capacity } },
      deletion_protection: 'disabled',
      tags: null,
    };
    newer = {
      ...older,
      deployment: {
        deployment_type: 'managed',
        cloud: 'aws',
        region: 'us-east-1',
        environment: 'us-east-1-aws',
      },
      read_capacity,
      schema: {
        fields: {
          _values: { type: 'dense_vector', dimension: 3, metric: 'euclidean', description: null },
          _sparse_values: { type: 'sparse_vector', description: null },
        },
      },
    };
  });
  after(() => service.dispose());

  it('selects the older index object up to 2026-04, and both shapes at once since 2026-07', async () => {
    for (const [versions, shape] of [
      [OLDER, older],
      [NEWER, newer],
    ] as const) {
      for (const version of versions) {
        const answer = await service.call('GET', '/indexes/shape', { version });
        assert.deepEqual(answer.body, shape, version);
        assert.equal(answer.headers['x-service-api-version'], version);
        assert.deepEqual((await service.call('GET', '/indexes', { version })).body, { indexes: [shape] });
      }
    }
  });

  it('selects both shapes when it is absent', async () => {
    const answer = await service.call('GET', '/indexes/shape');
    assert.deepEqual([answer.status, answer.body], [200, newer]);
  });

  it('is read and echoed under the name that SDKs send; the name of the specification wins', async () => {
    const sdk = { 'X-Pinecone-Api-Version': '2025-01' };
    const answer = await service.call('GET', '/indexes/shape', { headers: sdk });
    assert.deepEqual(answer.body, older);
    assert.equal(answer.headers['x-pinecone-api-version'], '2025-01');
    const both = await service.call('GET', '/indexes/shape', { headers: sdk, version: '2026-07' });
    assert.deepEqual(both.body, newer);
  });

  it('is refused when unknown, with the list of what is accepted', async () => {
    for (const base of [service.url, host]) {
      for (const version of ['2023-01', '2099-01', 'latest', '', 'constructor']) {
        const path = base === host ? '/vectors/list' : '/indexes';
        const answer = await call(base, 'GET', path, { key: API_KEY, version });
        assert.equal(answer.status, 400, `${version}: ${answer.text}`);
        for (const known of [...OLDER, ...NEWER]) assert.ok(answer.text.includes(known), known);
      }
    }
    const { status, body } = await service.call('GET', '/indexes', { version: '2023-01' });
    const { message } = (body as { error: { message: string } }).error;
    assert.deepEqual(body, standard(status, 'INVALID_ARGUMENT', message));
  });

  it('decides details of data responses', async () => {
    const get = async (path: string, version?: string) =>
      (await call(host, 'GET', path, { key: API_KEY, ...(version !== undefined && { version }) })).body;
    const vectors = [{ id: 'a', values: [1, 2, 3] }];
    await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body: { vectors } });
    const stats = { dimension: 3, indexFullness: 0, totalVectorCount: 1 };
    const count = { vectorCount: 1 };
    assert.deepEqual(await get('/describe_index_stats', '2024-10'), { ...stats, namespaces: { '': count } });
    assert.deepEqual(await get('/describe_index_stats', '2025-04'), {
      ...stats,
      namespaces: { __default__: count },
      metric: 'euclidean',
      vectorType: 'dense',
    });
    const space = { name: '__default__', record_count: 1, indexed_fields: { fields: [] } };
    for (const version of ['2025-10', undefined])
      assert.deepEqual(await get('/namespaces/__default__', version), space);
    // Of an endpoint that came later, the answer is that of its first version.
    assert.deepEqual(await get('/namespace-aliases'), { namespace_aliases: [], total_count: 0 });
    assert.partialDeepStrictEqual(await get('/namespaces/__default__', '2026-07'), space);
  });

  it('is required if the setting says so', async () => {
    await service.restart({ env: { PINYON_REQUIRE_VERSION_HEADER: 'true' } });
    const answer = await service.call('GET', '/indexes');
    const message = 'The header X-Service-Api-Version is required. The newest version is 2026-07.';
    assert.deepEqual([answer.status, answer.body], [400, standard(400, 'INVALID_ARGUMENT', message)]);
    assert.equal((await service.call('GET', '/indexes', { version: '2025-04' })).status, 200);
  });
});
