// Namespaces and record search by SDK 9.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Index, Pinecone } from '@pinecone-database/pinecone';
import { API_KEY, type Service, startService } from './support/service.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

describe('SDK 9, namespaces and record search', () => {
  let service: Service;
  let pinecone: Pinecone;
  let index: Index;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    await pinecone.createIndex({ name: 'spaces', dimension: 2, metric: 'dotproduct', spec: SPEC });
    index = pinecone.index({ name: 'spaces' });
  });
  after(() => service.dispose());

  it('creates a namespace with a schema: filters can use only its fields', async () => {
    const made = await index.createNamespace({
      name: 'schema',
      schema: { fields: { genre: { filterable: true }, year: { filterable: true } } },
    });
    assert.equal(made.name, 'schema');
    assert.equal(Number(made.recordCount), 0);
    assert.deepEqual(Object.keys(made.schema?.fields ?? {}).sort(), ['genre', 'year']);
    assert.deepEqual(made.indexedFields?.fields, ['genre', 'year']);
    const space = index.namespace('schema');
    await space.upsert({
      records: [{ id: 'a', values: [1, 0], metadata: { genre: 'drama', color: 'red' } }],
    });
    const found = async (filter: object) =>
      (await space.query({ vector: [1, 0], topK: 5, filter })).matches.map(({ id }) => id);
    assert.deepEqual(await found({ genre: 'drama' }), ['a']);
    assert.deepEqual(await found({ color: 'red' }), []);
    await assert.rejects(index.createNamespace({ name: 'schema' }), { name: 'PineconeConflictError' });
    await assert.rejects(index.createNamespace({ name: '__default__' }), { name: 'PineconeBadRequestError' });
  });

  it('lists namespaces in bytewise order, by prefix and page by page', async () => {
    const names = ['list-a', 'list-b', 'list-c', 'List-D'];
    for (const name of names) {
      await index.namespace(name).upsert({ records: [{ id: 'x', values: [1, 1], metadata: { seen: 1 } }] });
    }
    await index.upsert({ records: [{ id: 'x', values: [1, 1] }] });
    const all = await index.listNamespaces();
    const listed = (all.namespaces ?? []).map(({ name }) => name ?? '');
    assert.deepEqual(listed, listed.toSorted());
    for (const name of [...names, '__default__']) assert.ok(listed.includes(name), name);
    assert.equal(all.totalCount, listed.length);
    const first = await index.listNamespaces({ prefix: 'list-', limit: 2 });
    assert.deepEqual(
      first.namespaces?.map(({ name }) => name),
      ['list-a', 'list-b'],
    );
    assert.equal(first.totalCount, 3);
    const token = first.pagination?.next;
    assert.ok(token);
    const second = await index.listNamespaces({ prefix: 'list-', limit: 2, paginationToken: token });
    assert.deepEqual(
      second.namespaces?.map(({ name }) => name),
      ['list-c'],
    );
    assert.equal(second.pagination, undefined);
  });

  it('describes and deletes a namespace with all its records', async () => {
    const space = index.namespace('gone');
    await space.upsert({ records: [{ id: 'x', values: [1, 1], metadata: { seen: 1, also: 'y' } }] });
    const described = await index.describeNamespace('gone');
    assert.equal(described.name, 'gone');
    assert.equal(Number(described.recordCount), 1);
    assert.deepEqual(described.indexedFields?.fields, ['also', 'seen']);
    await index.deleteNamespace('gone');
    await assert.rejects(index.describeNamespace('gone'), { name: 'PineconeNotFoundError' });
    await assert.rejects(index.deleteNamespace('gone'), { name: 'PineconeNotFoundError' });
    assert.deepEqual((await space.query({ vector: [1, 1], topK: 3 })).matches, []);
    assert.deepEqual((await space.fetch({ ids: ['x'] })).records, {});
  });

  it('keeps namespaces apart', async () => {
    await index.namespace('left').upsert({ records: [{ id: 'same', values: [1, 0] }] });
    await index.namespace('right').upsert({ records: [{ id: 'same', values: [0, 1] }] });
    await index.namespace('left').deleteOne({ id: 'same' });
    assert.deepEqual((await index.namespace('right').fetch({ ids: ['same'] })).records.same?.values, [0, 1]);
    assert.deepEqual((await index.namespace('left').query({ vector: [1, 1], topK: 1 })).matches, []);
  });

  it('searches records by vector and by id, with chosen fields and a filter', async () => {
    const space = index.namespace('search');
    await space.upsert({
      records: [
        { id: 'a', values: [1, 0], metadata: { genre: 'drama', year: 2001 } },
        { id: 'b', values: [0, 1], metadata: { genre: 'comedy', year: 2002 } },
        { id: 'c', values: [2, 1], metadata: { genre: 'drama', year: 2003 } },
      ],
    });
    const byVector = await space.searchRecords({
      query: { topK: 5, vector: { values: [1, 0] }, filter: { genre: 'drama' } },
      fields: ['year', 'unknown'],
    });
    assert.deepEqual(
      byVector.result.hits.map((hit) => [hit._id, hit._score, hit.fields]),
      [
        ['c', 2, { year: 2003 }],
        ['a', 1, { year: 2001 }],
      ],
    );
    assert.ok(byVector.usage.readUnits >= 1);
    const byId = await space.searchRecords({ query: { topK: 2, id: 'a' }, fields: [] });
    assert.deepEqual(
      byId.result.hits.map((hit) => [hit._id, hit._score, hit.fields]),
      [
        ['c', 2, {}],
        ['a', 1, {}],
      ],
    );
    const nothing = await space.searchRecords({ query: { topK: 3, id: 'nothing' } });
    assert.deepEqual(nothing.result.hits, []);
  });

  it('refuses text search and text records on an index without an embedding model', async () => {
    const space = index.namespace('search');
    const text = space.searchRecords({ query: { topK: 3, inputs: { text: 'disease prevention' } } });
    const refusal = {
      name: 'PineconeBadRequestError',
      message: /Integrated inference is not configured for this index/,
    };
    await assert.rejects(text, refusal);
    await assert.rejects(space.upsertRecords({ records: [{ id: 'a', text: 'hello' }] }), refusal);
  });
});
