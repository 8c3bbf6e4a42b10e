// The life of an index by SDK 8 (version 2026-04): the older index shape, one object of options a call.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from 'pinecone-sdk-8';
import { plain } from './support/plain.ts';
import { recordedFetch } from './support/recorded-fetch.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const AWS = { cloud: 'aws', region: 'us-east-1' };

describe('SDK 8', () => {
  const { fetch, versions } = recordedFetch();
  let service: Service;
  let pinecone: Pinecone;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url, fetchApi: fetch });
  });
  after(() => service.dispose());

  it('creates an index with a metadata schema and reads spec, dimension, metric and vector type', async () => {
    const made = await pinecone.createIndex({
      name: 'life',
      dimension: 2,
      spec: { serverless: { ...AWS, schema: { fields: { genre: { filterable: true } } } } },
      tags: { a: '1' },
      waitUntilReady: true,
    });
    assert.ok(made);
    const { host, ...facts } = made;
    assert.match(host, /^http:\/\/localhost:\d+$/);
    assert.deepEqual(plain(facts), {
      name: 'life',
      dimension: 2,
      metric: 'cosine',
      vectorType: 'dense',
      deletionProtection: 'disabled',
      tags: { a: '1' },
      status: { ready: true, state: 'Ready' },
      spec: {
        serverless: {
          ...AWS,
          readCapacity: { mode: 'OnDemand', status: { state: 'Ready' } },
          schema: { fields: { genre: { filterable: true } } },
        },
      },
    });
    assert.deepEqual(plain(await pinecone.describeIndex('life')), plain(made));
    assert.deepEqual(plain(await pinecone.listIndexes()), { indexes: [plain(made)] });
    assert.deepEqual([...versions], ['2026-04']);
  });

  it('writes, reads, updates by filter and deletes', async () => {
    const index = pinecone.index({ name: 'life' }).namespace('n');
    await index.upsert({
      records: [
        { id: 'a', values: [1, 0], metadata: { genre: 'drama' } },
        { id: 'b', values: [0.6, 0.8], metadata: { genre: 'news' } },
      ],
    });
    const found = await index.query({
      vector: [1, 0],
      topK: 2,
      filter: { genre: 'news' },
      includeMetadata: true,
    });
    assert.deepEqual(plain(found.matches), [
      { id: 'b', score: 0.6, values: [], metadata: { genre: 'news' } },
    ]);
    await index.update({ filter: { genre: 'news' }, metadata: { seen: true } });
    const { records } = await index.fetchByMetadata({ filter: { genre: 'news' } });
    assert.deepEqual(plain(records), {
      b: { id: 'b', values: [0.6, 0.8], metadata: { genre: 'news', seen: true } },
    });
    const { result } = await index.searchRecords({
      query: { topK: 1, vector: { values: [1, 0] } },
      fields: ['genre'],
    });
    assert.deepEqual(plain(result), { hits: [{ _id: 'a', _score: 1, fields: { genre: 'drama' } }] });
    assert.deepEqual((await index.listPaginated()).vectors, [{ id: 'a' }, { id: 'b' }]);
    const stats = await index.describeIndexStats();
    assert.deepEqual([stats.totalRecordCount, stats.dimension], [2, 2]);
    await index.deleteMany({ ids: ['a'] });
    await index.deleteMany({ filter: { genre: 'news' } });
    assert.deepEqual((await index.fetch({ ids: ['a', 'b'] })).records, {});
  });

  it('creates, lists, describes and deletes namespaces', async () => {
    const index = pinecone.index({ name: 'life' });
    const made = await index.createNamespace({
      name: 'own',
      schema: { fields: { x: { filterable: true } } },
    });
    assert.deepEqual(made.schema?.fields, { x: { filterable: true } });
    const listed = (await index.listNamespaces()).namespaces?.map(({ name }) => name);
    assert.ok(listed?.includes('own'));
    assert.equal(Number((await index.describeNamespace('own')).recordCount), 0);
    await index.deleteNamespace('own');
    await assert.rejects(index.describeNamespace('own'), { name: 'PineconeNotFoundError' });
  });

  it('configures tags, protection and capacity, and deletes', async () => {
    await pinecone.configureIndex({ name: 'life', tags: { a: '', b: '2' }, deletionProtection: 'enabled' });
    const changed = await pinecone.describeIndex('life');
    assert.deepEqual([changed.tags, changed.deletionProtection], [{ b: '2' }, 'enabled']);
    const scaled = await pinecone.configureIndex({
      name: 'life',
      readCapacity: { mode: 'Dedicated', nodeType: 't1', manual: { replicas: 1, shards: 1 } },
    });
    assert.partialDeepStrictEqual(plain(scaled.spec), {
      serverless: { readCapacity: { mode: 'Dedicated' } },
    });
    await assert.rejects(pinecone.deleteIndex('life'), { name: 'PineconeBadRequestError' });
    await pinecone.configureIndex({ name: 'life', deletionProtection: 'disabled' });
    await pinecone.deleteIndex('life');
    await until(async () => ((await pinecone.listIndexes()).indexes ?? []).length === 0);
    await assert.rejects(pinecone.describeIndex('life'), { name: 'PineconeNotFoundError' });
  });

  it('creates sparse, byoc and pod indexes', async () => {
    const sparse = await pinecone.createIndex({
      name: 'sparse',
      metric: 'dotproduct',
      vectorType: 'sparse',
      spec: { serverless: AWS },
    });
    assert.deepEqual([sparse?.dimension, sparse?.vectorType], [undefined, 'sparse']);
    const byoc = await pinecone.createIndex({
      name: 'byoc',
      dimension: 2,
      spec: { byoc: { environment: 'own' } },
    });
    assert.partialDeepStrictEqual(plain(byoc?.spec), { byoc: { environment: 'own' } });
    const spec = { pod: { environment: 'us-east1-gcp', podType: 'p1.x1', replicas: 2, shards: 2 } };
    const pod = await pinecone.createIndex({ name: 'pod', dimension: 2, spec });
    assert.deepEqual(plain(pod?.spec), { pod: { ...spec.pod, pods: 4 } });
  });
});
