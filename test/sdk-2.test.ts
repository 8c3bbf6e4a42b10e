// The life of an index by SDK 2, which sends no version header and knows neither tags nor protection.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from 'pinecone-sdk-2';
import { plain } from './support/plain.ts';
import { recordedFetch } from './support/recorded-fetch.ts';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const AWS = { cloud: 'aws', region: 'us-east-1' } as const;
const POD = { environment: 'us-east1-gcp', podType: 's1.x1', replicas: 1, shards: 1, pods: 1 };

describe('SDK 2', () => {
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

  it('creates, describes, lists and deletes a serverless index', async () => {
    const spec = { serverless: AWS };
    const made = await pinecone.createIndex({ name: 'life', dimension: 2, spec, waitUntilReady: true });
    assert.ok(made);
    const { host, ...facts } = made;
    assert.match(host, /^http:\/\/localhost:\d+$/);
    assert.deepEqual(plain(facts), {
      name: 'life',
      dimension: 2,
      metric: 'cosine',
      status: { ready: true, state: 'Ready' },
      spec,
    });
    assert.deepEqual(plain(await pinecone.listIndexes()), { indexes: [plain(made)] });
    assert.deepEqual([...versions], ['none']);
    await pinecone.deleteIndex('life');
    await gone('life');
    await assert.rejects(pinecone.describeIndex('life'), { name: 'PineconeNotFoundError' });
  });

  it('writes, reads, updates, lists and deletes', async () => {
    await pinecone.createIndex({
      name: 'data',
      dimension: 2,
      metric: 'dotproduct',
      spec: { serverless: AWS },
    });
    const index = pinecone.index('data').namespace('n');
    await index.upsert([
      { id: 'a', values: [1, 0], metadata: { genre: 'drama' } },
      { id: 'b', values: [4, 4], sparseValues: { indices: [1], values: [2] } },
    ]);
    // The SDK sends it, but its type does not know it.
    const hybrid = { vector: [1, 1], sparseVector: { indices: [1], values: [1] }, topK: 2 };
    const found = await index.query(hybrid);
    assert.deepEqual(plain(found.matches), [
      { id: 'b', score: 10, values: [] },
      { id: 'a', score: 1, values: [] },
    ]);
    await index.update({ id: 'a', values: [2, 0], metadata: { seen: true } });
    assert.deepEqual(plain((await index.fetch(['a', 'b'])).records), {
      a: { id: 'a', values: [2, 0], metadata: { genre: 'drama', seen: true } },
      b: { id: 'b', values: [4, 4], sparseValues: { indices: [1], values: [2] } },
    });
    assert.deepEqual((await index.listPaginated({ prefix: 'b' })).vectors, [{ id: 'b' }]);
    assert.deepEqual(plain((await index.describeIndexStats()).namespaces), { n: { recordCount: 2 } });
    await index.deleteMany({ genre: 'drama' });
    await index.deleteOne('b');
    assert.deepEqual((await index.query({ vector: [1, 1], topK: 2 })).matches, []);
    await pinecone.deleteIndex('data');
    await gone('data');
  });

  it('creates a pod index, scales it, queries it and deletes it', async () => {
    const made = await pinecone.createIndex({
      name: 'pods',
      dimension: 2,
      metric: 'cosine',
      spec: { pod: POD },
    });
    assert.deepEqual(plain(made?.spec), { pod: POD });
    const index = pinecone.index('pods');
    await index.upsert([{ id: 'a', values: [1, 0] }]);
    assert.equal((await index.query({ vector: [1, 0], topK: 1 })).matches[0]?.id, 'a');
    await pinecone.configureIndex('pods', { replicas: 2, podType: 's1.x2' });
    await until(async () => (await pinecone.describeIndex('pods')).status.state === 'Ready');
    const { spec } = await pinecone.describeIndex('pods');
    assert.deepEqual(plain(spec), { pod: { ...POD, replicas: 2, pods: 2, podType: 's1.x2' } });
    assert.equal((await index.query({ id: 'a', topK: 1 })).matches[0]?.id, 'a');
    await index.deleteAll();
    assert.deepEqual((await index.fetch(['a'])).records, {});
    await pinecone.deleteIndex('pods');
    await gone('pods');
  });

  it('maps refusals to its error classes', async () => {
    const options = { name: 'twice', dimension: 2, spec: { serverless: AWS } };
    await pinecone.createIndex(options);
    await assert.rejects(pinecone.createIndex(options), { name: 'PineconeConflictError' });
    const stranger = new Pinecone({ apiKey: 'pcsk_unknown_key', controllerHostUrl: service.url });
    await assert.rejects(stranger.listIndexes(), { name: 'PineconeAuthorizationError' });
  });
});
