// Drives every method of the preview in the TypeScript client 8.2: documents, and indexes with a schema.
import assert from 'node:assert/strict';
import { Pinecone } from '@pinecone-database/pinecone';
import { runTests, until, watch } from './harness.mjs';

const { PINECONE_API_KEY: apiKey, PINYON_URL: controllerHostUrl } = process.env;
const pinecone = new Pinecone({ apiKey, controllerHostUrl });
const { indexes } = pinecone.preview;
const NAME = 'preview';
const SPACE = 'films/1';
const ROWS = [
  { _id: 'a', title: 'The last lighthouse keeper', dense: [1, 0, 0], year: 2019 },
  {
    _id: 'b',
    title: 'A bakery by the sea',
    dense: [0, 1, 0],
    sparse: { indices: [7], values: [0.4] },
    seen: true,
  },
];
const NEAR = { type: 'dense_vector', field: 'dense', values: [1, 0, 0] };

const index = pinecone.preview.index({ name: NAME });
const uncalled = watch(indexes.constructor, index.constructor);
let backupId;

async function found(clause, more = {}) {
  const { matches, namespace } = await index.searchDocuments(SPACE, {
    topK: 5,
    scoreBy: [clause].flat(),
    ...more,
  });
  assert.equal(namespace, SPACE);
  return matches.map(({ _id }) => _id);
}

await runTests({
  'creates, lists and describes an index with every kind of field': async () => {
    const fields = {
      dense: { type: 'dense_vector', dimension: 3, metric: 'cosine' },
      sparse: { type: 'sparse_vector', metric: 'dotproduct' },
      title: { type: 'string', fullTextSearch: { language: 'en', stemming: true } },
      genres: { type: 'string_list', filterable: true },
      seen: { type: 'boolean', filterable: true },
      year: { type: 'float', filterable: true },
    };
    const made = await indexes.create({ name: NAME, schema: { fields }, waitUntilReady: true });
    const described = await indexes.describe(NAME);
    assert.equal(described.host, made.host);
    assert.equal(described.schema.fields.dense.dimension, 3);
    assert.ok(described.schema.fields.title.fullTextSearch);
    assert.ok((await indexes.list()).indexes.some(({ name }) => name === NAME));
    await assert.rejects(indexes.create({ name: NAME, schema: { fields } }));
  },
  'configures tags and protection': async () => {
    await indexes.configure(NAME, { tags: { a: 'b' }, deletionProtection: 'enabled' });
    await assert.rejects(indexes.delete(NAME));
    const changed = await indexes.configure(NAME, { deletionProtection: 'disabled' });
    assert.deepEqual([changed.deletionProtection, { ...changed.tags }], ['disabled', { a: 'b' }]);
  },
  'upserts documents and searches them by every type of clause': async () => {
    assert.equal((await index.upsertDocuments(SPACE, { documents: ROWS })).upsertedCount, 2);
    const text = { type: 'text', field: 'title', query: 'lighthouses' };
    assert.deepEqual(await found(text), ['a']);
    assert.deepEqual(await found({ type: 'query_string', query: 'title:(sea OR land)' }), ['b']);
    assert.deepEqual(await found(NEAR), ['a', 'b']);
    const sparseValues = { indices: [7], values: [1] };
    assert.deepEqual(await found({ type: 'sparse_vector', field: 'sparse', sparseValues }), ['b']);
    assert.deepEqual(await found([text, NEAR]), ['a', 'b']);
    assert.deepEqual(await found(NEAR, { filter: { year: { $exists: false } } }), ['b']);
    const request = { topK: 1, scoreBy: [NEAR], includeFields: ['year'] };
    const { matches } = await index.searchDocuments(SPACE, request);
    assert.deepEqual(matches, [{ _id: 'a', _score: 1, year: 2019 }]);
    await assert.rejects(index.searchDocuments(SPACE, { ...request, topK: 0 }), /top/i);
  },
  'fetches, lists, updates and deletes documents': async () => {
    const fetched = async () => (await index.fetchDocuments(SPACE, { ids: ['a', 'b', 'none'] })).documents;
    assert.deepEqual(await fetched(), { a: ROWS[0], b: ROWS[1] });
    const { documents } = await index.listDocuments(SPACE, { prefix: 'b' });
    assert.deepEqual(documents, [{ _id: 'b' }]);
    await index.updateDocuments(SPACE, { documents: [{ _id: 'a', year: 2020 }] });
    assert.deepEqual((await fetched()).a, { ...ROWS[0], year: 2020 });
    await index.deleteDocuments(SPACE, { ids: ['a'] });
    assert.deepEqual(await fetched(), { b: ROWS[1] });
  },
  'backs up, restores and deletes': async () => {
    ({ backupId } = await indexes.createBackup(NAME, { name: 'first', description: 'd' }));
    await until(async () => (await indexes.describeBackup(backupId)).status === 'Ready');
    const ids = ({ data }) => data.map((backup) => backup.backupId);
    assert.deepEqual(ids(await indexes.listBackups(NAME)), [backupId]);
    assert.deepEqual(ids(await indexes.listProjectBackups({ limit: 5 })), [backupId]);
    const { restoreJobId } = await indexes.createFromBackup(backupId, { name: 'restored' });
    await until(async () => (await indexes.describeRestoreJob(restoreJobId)).status === 'Completed');
    assert.ok((await indexes.listRestoreJobs()).data.some((job) => job.restoreJobId === restoreJobId));
    await until(async () => (await indexes.describe('restored')).status.ready);
    const restored = pinecone.preview.index({ name: 'restored' });
    assert.deepEqual((await restored.fetchDocuments(SPACE, { ids: ['b'] })).documents, { b: ROWS[1] });
    await indexes.deleteBackup(backupId);
    await indexes.delete('restored');
  },
  'makes a collection of a pod index': async () => {
    const pod = { environment: 'us-east-1-aws', podType: 'p1.x1', pods: 1 };
    await pinecone.createIndex({ name: 'pods', dimension: 3, spec: { pod }, waitUntilReady: true });
    await pinecone.index({ name: 'pods' }).upsert({ records: [{ id: 'a', values: [1, 0, 0] }] });
    await indexes.createCollection({ name: 'kept', source: 'pods' });
    await until(async () => (await indexes.describeCollection('kept')).status === 'Ready');
    assert.deepEqual(
      (await indexes.listCollections()).collections.map(({ name }) => name),
      ['kept'],
    );
    await indexes.deleteCollection('kept');
    await pinecone.deleteIndex('pods');
  },
  'calls every public method': async () => {
    await index.deleteDocuments(SPACE, { deleteAll: true });
    await indexes.delete(NAME);
    assert.deepEqual(uncalled(), []);
  },
});
