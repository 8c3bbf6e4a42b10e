// Collections with SDK 5: made of pods, kept when these go, and made into indexes again.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pinecone } from 'pinecone-sdk-5';
import { API_KEY, type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const POD = { environment: 'us-east1-gcp', podType: 'p1.x1', pods: 1 };
const RECORDS = 300;

describe('collections with SDK 5', () => {
  let service: Service;
  let pinecone: Pinecone;

  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    const pods = { name: 'pods', dimension: 2, metric: 'cosine', spec: { pod: POD } } as const;
    await pinecone.createIndex({ ...pods, waitUntilReady: true });
    const spec = { serverless: { cloud: 'aws', region: 'us-east-1' } } as const;
    await pinecone.createIndex({ name: 'cloud', dimension: 2, metric: 'cosine', spec, waitUntilReady: true });
    const records = Array.from({ length: RECORDS }, (_, at) => ({
      id: `id-${at}`,
      values: [1, at],
      metadata: { at },
    }));
    await pinecone.index('pods').namespace('n').upsert(records);
  });
  after(() => service.dispose());

  async function ready(name: string): Promise<void> {
    await until(async () => (await pinecone.describeCollection(name)).status === 'Ready');
  }

  it('creates a collection, lists and describes it', async () => {
    const made = await pinecone.createCollection({ name: 'frozen', source: 'pods' });
    assert.deepEqual([made.name, made.environment], ['frozen', POD.environment]);
    await ready('frozen');
    const { size, dimension, vectorCount } = await pinecone.describeCollection('frozen');
    assert.ok((size ?? 0) > 0);
    assert.deepEqual([dimension, vectorCount], [2, RECORDS]);
    const names = ((await pinecone.listCollections()).collections ?? []).map(({ name }) => name);
    assert.deepEqual(names, ['frozen']);
  });

  it('refuses serverless and missing sources, names in use, and indexes that do not fit', async () => {
    const refused = (name: string, source: string) => pinecone.createCollection({ name, source });
    await assert.rejects(refused('other', 'cloud'), { name: 'PineconeBadRequestError' });
    await assert.rejects(refused('other', 'nothing'), { name: 'PineconeBadRequestError' });
    await assert.rejects(refused('frozen', 'pods'), { name: 'PineconeConflictError' });
    const spec = { pod: { ...POD, sourceCollection: 'frozen' } };
    const wanted = { name: 'big', dimension: 3, metric: 'cosine', spec } as const;
    await assert.rejects(pinecone.createIndex(wanted), { name: 'PineconeBadRequestError' });
    const missing = { ...wanted, dimension: 2, spec: { pod: { ...POD, sourceCollection: 'none' } } } as const;
    await assert.rejects(pinecone.createIndex(missing), {
      name: 'PineconeBadRequestError',
      message: /Resource none not found/,
    });
  });

  it('creates indexes of another metric and of another pod type from a collection, whose source may be deleted', async () => {
    const pod = { ...POD, sourceCollection: 'frozen' };
    const apart = { name: 'apart', dimension: 2, metric: 'euclidean', spec: { pod } } as const;
    await pinecone.createIndex({ ...apart, waitUntilReady: true });
    const { matches } = await pinecone
      .index('apart')
      .namespace('n')
      .query({ vector: [1, 7.4], topK: 1 });
    assert.equal(matches[0]?.id, 'id-7');
    assert.ok(Math.abs((matches[0]?.score ?? 0) - 0.16) < 1e-3, `${matches[0]?.score}`);
    await pinecone.deleteIndex('pods');
    const spec = { pod: { ...POD, podType: 's1.x1', sourceCollection: 'frozen' } };
    const wanted = { name: 'thawed', dimension: 2, metric: 'cosine', spec } as const;
    const made = await pinecone.createIndex({ ...wanted, waitUntilReady: true });
    assert.equal(made?.spec.pod?.sourceCollection, 'frozen');
    await until(async () => (await pinecone.describeIndex('thawed')).status.ready);
    const index = pinecone.index('thawed');
    assert.deepEqual((await index.describeIndexStats()).namespaces, { n: { recordCount: RECORDS } });
    const { records } = await index.namespace('n').fetch(['id-42']);
    assert.deepEqual(records['id-42']?.metadata, { at: 42 });
  });

  it('deletes a collection but keeps its index', async () => {
    await pinecone.deleteCollection('frozen');
    await until(async () => ((await pinecone.listCollections()).collections ?? []).length === 0);
    await assert.rejects(pinecone.describeCollection('frozen'), { name: 'PineconeNotFoundError' });
    await assert.rejects(pinecone.deleteCollection('frozen'), { name: 'PineconeNotFoundError' });
    assert.equal((await pinecone.index('thawed').describeIndexStats()).totalRecordCount, RECORDS);
  });
});
