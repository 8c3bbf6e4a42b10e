// The life of an index by SDK 5 (version 2025-01), and pods, which it can still make.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from 'pinecone-sdk-5';
import { plain } from './support/plain.ts';
import { recordedFetch } from './support/recorded-fetch.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const AWS = { cloud: 'aws', region: 'us-east-1' } as const;
const POD = { environment: 'us-east1-gcp', podType: 'p1.x1' };

describe('SDK 5', () => {
  const { fetch, versions } = recordedFetch();
  let service: Service;
  let pinecone: Pinecone;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url, fetchApi: fetch });
  });
  after(() => service.dispose());

  async function gone(name: string): Promise<void> {
    await until(
      async () => !((await pinecone.listIndexes()).indexes ?? []).some((index) => index.name === name),
    );
  }

  it('creates, describes, lists, tags, protects and deletes a serverless index', async () => {
    const made = await pinecone.createIndex({
      name: 'life',
      dimension: 2,
      metric: 'euclidean',
      spec: { serverless: AWS },
      tags: { a: '1' },
      waitUntilReady: true,
    });
    assert.ok(made);
    const { host, ...facts } = made;
    assert.match(host, /^http:\/\/localhost:\d+$/);
    assert.deepEqual(plain(facts), {
      name: 'life',
      dimension: 2,
      metric: 'euclidean',
      vectorType: 'dense',
      deletionProtection: 'disabled',
      tags: { a: '1' },
      status: { ready: true, state: 'Ready' },
      spec: { serverless: AWS },
    });
    assert.deepEqual(plain(await pinecone.listIndexes()), { indexes: [plain(made)] });
    assert.deepEqual([...versions], ['2025-01']);
    await pinecone.configureIndex('life', { deletionProtection: 'enabled', tags: { a: '', b: '2' } });
    assert.deepEqual((await pinecone.describeIndex('life')).tags, { b: '2' });
    await assert.rejects(pinecone.deleteIndex('life'), { name: 'PineconeBadRequestError' });
    await pinecone.configureIndex('life', { deletionProtection: 'disabled' });
    await pinecone.deleteIndex('life');
    await gone('life');
    await assert.rejects(pinecone.describeIndex('life'), { name: 'PineconeNotFoundError' });
  });

  it('writes, reads, updates, searches and deletes', async () => {
    await pinecone.createIndex({
      name: 'data',
      dimension: 2,
      metric: 'euclidean',
      spec: { serverless: AWS },
    });
    const index = pinecone.index('data').namespace('n');
    await index.upsert([
      { id: 'a', values: [1, 0], metadata: { genre: 'drama' } },
      { id: 'b', values: [4, 4], metadata: { genre: 'news' } },
    ]);
    const found = await index.query({ vector: [1, 1], topK: 2, includeMetadata: true });
    assert.deepEqual(plain(found.matches), [
      { id: 'a', score: 1, values: [], metadata: { genre: 'drama' } },
      { id: 'b', score: 18, values: [], metadata: { genre: 'news' } },
    ]);
    await index.update({ id: 'a', values: [2, 0], metadata: { seen: true } });
    assert.deepEqual(plain((await index.fetch(['a', 'nothing'])).records), {
      a: { id: 'a', values: [2, 0], metadata: { genre: 'drama', seen: true } },
    });
    const { result } = await index.searchRecords({
      query: { topK: 1, vector: { values: [4, 4] } },
      fields: ['genre'],
    });
    assert.deepEqual(plain(result), { hits: [{ _id: 'b', _score: 0, fields: { genre: 'news' } }] });
    const page = await index.listPaginated({ prefix: '', limit: 1 });
    assert.deepEqual(page.vectors, [{ id: 'a' }]);
    const rest = await index.listPaginated({ prefix: '', paginationToken: page.pagination?.next ?? '' });
    assert.deepEqual(rest.vectors, [{ id: 'b' }]);
    assert.deepEqual(plain((await index.describeIndexStats()).namespaces), { n: { recordCount: 2 } });
    await index.deleteOne('a');
    await index.deleteMany({ genre: 'news' });
    assert.deepEqual((await index.query({ vector: [1, 1], topK: 2 })).matches, []);
    await index.upsert([{ id: 'c', values: [5, 5] }]);
    await index.deleteAll();
    assert.deepEqual((await index.describeIndexStats()).namespaces, {});
    await pinecone.deleteIndex('data');
    await gone('data');
  });

  it('creates a pod index, scales it, queries it and deletes it', async () => {
    const metadataConfig = { indexed: ['genre'] };
    const made = await pinecone.createIndex({
      name: 'pods',
      dimension: 2,
      metric: 'cosine',
      spec: { pod: { ...POD, replicas: 1, shards: 2, pods: 2, metadataConfig } },
      waitUntilReady: true,
    });
    assert.deepEqual(plain(made?.spec), { pod: { ...POD, replicas: 1, shards: 2, pods: 2, metadataConfig } });
    const index = pinecone.index('pods');
    await index.upsert([{ id: 'a', values: [1, 0], metadata: { genre: 'drama', color: 'red' } }]);
    const found = async (filter: object) =>
      (await index.query({ vector: [1, 0], topK: 1, filter })).matches.length;
    assert.deepEqual([await found({ genre: 'drama' }), await found({ color: 'red' })], [1, 0]);
    await pinecone.configureIndex('pods', { spec: { pod: { replicas: 3 } } });
    await settled('pods');
    await pinecone.configureIndex('pods', { spec: { pod: { podType: 'p1.x2' } } });
    await settled('pods');
    const { spec } = await pinecone.describeIndex('pods');
    assert.partialDeepStrictEqual(spec, { pod: { replicas: 3, podType: 'p1.x2', pods: 6 } });
    await assert.rejects(pinecone.configureIndex('pods', { spec: { pod: { podType: 'p1.x1' } } }), {
      name: 'PineconeBadRequestError',
    });
    assert.equal(await found({ genre: 'drama' }), 1);
    await pinecone.deleteIndex('pods');
    await gone('pods');
  });

  it('maps refusals to its error classes', async () => {
    const options = { name: 'twice', dimension: 2, metric: 'cosine', spec: { serverless: AWS } } as const;
    await pinecone.createIndex(options);
    await assert.rejects(pinecone.createIndex(options), { name: 'PineconeConflictError' });
    assert.equal(await pinecone.createIndex({ ...options, suppressConflicts: true }), undefined);
    const stranger = new Pinecone({ apiKey: 'pcsk_unknown_key', controllerHostUrl: service.url });
    await assert.rejects(stranger.listIndexes(), { name: 'PineconeAuthorizationError' });
  });

  async function settled(name: string): Promise<void> {
    await until(async () => (await pinecone.describeIndex(name)).status.state === 'Ready');
  }
});
