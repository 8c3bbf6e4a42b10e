// Everything SDK 9 offers for vectors: dense, sparse and hybrid.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Index, Pinecone, type QueryOptions } from '@pinecone-database/pinecone';
import { plain } from './support/plain.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const BOOKS = [
  { id: 'book-1', values: [1, 0, 0], metadata: { genre: 'drama', year: 2001, tags: ['old', 'short'] } },
  { id: 'book-2', values: [0, 1, 0], metadata: { genre: 'comedy', year: 2011, read: true } },
  { id: 'book-3', values: [0.6, 0.8, 0], metadata: { genre: 'drama', year: 2021 } },
  { id: 'note-1', values: [0, 0, 1] },
];

describe('SDK 9, vectors', () => {
  let service: Service;
  let pinecone: Pinecone;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    await pinecone.createIndex({ name: 'dense', dimension: 3, metric: 'cosine', spec: SPEC });
    await pinecone.createIndex({ name: 'sparse', vectorType: 'sparse', spec: SPEC });
    await pinecone.createIndex({ name: 'hybrid', dimension: 2, metric: 'dotproduct', spec: SPEC });
  });
  after(() => service.dispose());

  /** A namespace of its own with the books in it. */
  async function books(namespace: string): Promise<Index> {
    const index = pinecone.index({ name: 'dense', namespace });
    await index.upsert({ records: BOOKS });
    return index;
  }

  it('queries by vector, in descending order, with values and metadata on request', async () => {
    const index = await books('query');
    const bare = await index.query({ vector: [1, 0, 0], topK: 2 });
    assert.deepEqual(plain(bare.matches), [
      { id: 'book-1', score: 1, values: [] },
      { id: 'book-3', score: 0.6, values: [] },
    ]);
    assert.equal(bare.namespace, 'query');
    assert.ok((bare.usage?.readUnits ?? 0) >= 1);
    const full = await index.query({
      vector: [1, 0, 0],
      topK: 1,
      includeValues: true,
      includeMetadata: true,
    });
    assert.deepEqual(plain(full.matches), [{ ...BOOKS[0], score: 1 }]);
  });

  it('queries by id, finding the record itself first, and nothing for an unknown id', async () => {
    const index = await books('query-id');
    const { matches } = await index.query({ id: 'book-3', topK: 2 });
    assert.deepEqual(
      matches.map(({ id }) => id),
      ['book-3', 'book-2'],
    );
    assert.deepEqual((await index.query({ id: 'nothing', topK: 2 })).matches, []);
  });

  it('filters before ranking', async () => {
    const index = await books('query-filter');
    const found = async (filter: object) =>
      (await index.query({ vector: [1, 0, 0], topK: 10, filter })).matches.map(({ id }) => id);
    assert.deepEqual(await found({ genre: 'drama' }), ['book-1', 'book-3']);
    assert.deepEqual(await found({ year: { $gt: 2001 }, genre: { $in: ['drama', 'comedy'] } }), [
      'book-3',
      'book-2',
    ]);
    assert.deepEqual(await found({ $or: [{ tags: 'old' }, { read: true }] }), ['book-1', 'book-2']);
    assert.deepEqual(await found({ genre: { $exists: false } }), ['note-1']);
    assert.deepEqual(await found({ $not: { genre: 'drama' } }), ['book-2', 'note-1']);
  });

  it('fetches by id, omitting unknown ids', async () => {
    const index = await books('fetch');
    const { records, namespace, usage } = await index.fetch({ ids: ['book-1', 'note-1', 'nothing'] });
    assert.deepEqual(Object.keys(records).sort(), ['book-1', 'note-1']);
    assert.deepEqual(plain(records['book-1']), BOOKS[0]);
    assert.deepEqual(plain(records['note-1']), BOOKS[3]);
    assert.deepEqual([namespace, usage?.readUnits], ['fetch', 1]);
  });

  it('fetches by metadata, page by page', async () => {
    const index = await books('fetch-metadata');
    const filter = { genre: { $in: ['drama', 'comedy'] } };
    const first = await index.fetchByMetadata({ filter, limit: 2 });
    assert.equal(Object.keys(first.records).length, 2);
    const token = first.pagination?.next;
    assert.ok(token);
    const second = await index.fetchByMetadata({ filter, limit: 2, paginationToken: token });
    assert.equal(second.pagination?.next, undefined);
    const records = { ...first.records, ...second.records };
    assert.deepEqual(plain(records), Object.fromEntries(BOOKS.slice(0, 3).map((book) => [book.id, book])));
  });

  it('updates one record by id: values replaced, metadata merged', async () => {
    const index = await books('update');
    await index.update({ id: 'book-1', values: [0, 0, 2], metadata: { year: 1999, lent: true } });
    await index.update({ id: 'nothing', metadata: { year: 1 } });
    const { records } = await index.fetch({ ids: ['book-1', 'nothing'] });
    assert.deepEqual(plain(records), {
      'book-1': {
        id: 'book-1',
        values: [0, 0, 2],
        metadata: { genre: 'drama', year: 1999, tags: ['old', 'short'], lent: true },
      },
    });
  });

  it('updates metadata of all records that match a filter', async () => {
    const index = await books('update-filter');
    await index.update({ filter: { genre: 'drama' }, metadata: { shelf: 7 } });
    const { records } = await index.fetchByMetadata({ filter: { shelf: 7 } });
    assert.deepEqual(Object.keys(records).sort(), ['book-1', 'book-3']);
  });

  it('lists ids by prefix, in bytewise order, page by page', async () => {
    const index = await books('list');
    const first = await index.listPaginated({ prefix: 'book-', limit: 2 });
    assert.deepEqual(first.vectors, [{ id: 'book-1' }, { id: 'book-2' }]);
    assert.ok(first.pagination?.next);
    const second = await index.listPaginated({ prefix: 'book-', paginationToken: first.pagination.next });
    assert.deepEqual(second.vectors, [{ id: 'book-3' }]);
    assert.equal(second.pagination, undefined);
    assert.deepEqual((await index.listPaginated({ prefix: 'x' })).vectors, []);
  });

  it('deletes by id, by several ids, by filter and all', async () => {
    const index = await books('delete');
    const left = async () => ((await index.listPaginated()).vectors ?? []).map(({ id }) => id);
    await index.deleteOne({ id: 'note-1' });
    await index.deleteOne({ id: 'nothing' });
    assert.deepEqual(await left(), ['book-1', 'book-2', 'book-3']);
    await index.deleteMany({ ids: ['book-1', 'nothing'] });
    assert.deepEqual(await left(), ['book-2', 'book-3']);
    await index.deleteMany({ filter: { genre: 'comedy' } });
    assert.deepEqual(await left(), ['book-3']);
    await index.deleteAll();
    assert.deepEqual(await left(), []);
    await assert.rejects(index.deleteAll(), { name: 'PineconeNotFoundError' });
  });

  it('counts records per namespace', async () => {
    await books('stats');
    await pinecone.index({ name: 'dense' }).upsert({ records: BOOKS.slice(0, 2) });
    const stats = await pinecone.index({ name: 'dense' }).describeIndexStats();
    assert.deepEqual([stats.dimension, stats.indexFullness], [3, 0]);
    assert.partialDeepStrictEqual(stats.namespaces, {
      stats: { recordCount: 4 },
      __default__: { recordCount: 2 },
    });
    const counts = Object.values(stats.namespaces ?? {}).map(({ recordCount }) => recordCount);
    assert.equal(
      stats.totalRecordCount,
      counts.reduce((sum, count) => sum + count, 0),
    );
  });

  it('stores and searches sparse vectors; records without a common index are not returned', async () => {
    const index = pinecone.index({ name: 'sparse', namespace: 'words' });
    const records = [
      { id: 'a', sparseValues: { indices: [1, 4_294_967_295], values: [0.5, 2] }, metadata: { n: 1 } },
      { id: 'b', sparseValues: { indices: [1, 7], values: [1, 1] } },
      { id: 'c', sparseValues: { indices: [9], values: [3] } },
    ];
    await index.upsert({ records });
    const sparseVector = { indices: [1, 4_294_967_295], values: [1, 0.25] };
    const query = (topK: number) =>
      // The SDK's type asks for a dense vector too; the service of a sparse index does not.
      index.query({ sparseVector, topK, includeValues: true } as QueryOptions);
    const { matches } = await query(10);
    assert.deepEqual(plain(matches), [
      { id: 'a', score: 1, values: [], sparseValues: records[0]?.sparseValues },
      { id: 'b', score: 1, values: [], sparseValues: records[1]?.sparseValues },
    ]);
    const fetched = await index.fetch({ ids: ['a'] });
    assert.deepEqual(plain(fetched.records.a), { ...records[0], values: [] });
    await index.update({ id: 'c', sparseValues: { indices: [1], values: [9] } });
    const [best] = (await query(1)).matches;
    assert.deepEqual([best?.id, best?.score], ['c', 9]);
  });

  it('adds dense and sparse scores on a hybrid index', async () => {
    const index = pinecone.index({ name: 'hybrid' });
    await index.upsert({
      records: [
        { id: 'both', values: [1, 2], sparseValues: { indices: [3, 5], values: [10, 20] } },
        { id: 'dense-only', values: [3, 1] },
      ],
    });
    const sparseVector = { indices: [5, 8], values: [0.5, 1] };
    const { matches } = await index.query({ vector: [1, 1], sparseVector, topK: 5 });
    assert.deepEqual(
      matches.map(({ id, score }) => [id, score]),
      [
        ['both', 13],
        ['dense-only', 4],
      ],
    );
    const dense = await index.query({ vector: [1, 1], topK: 5 });
    assert.deepEqual(
      dense.matches.map(({ id, score }) => [id, score]),
      [
        ['dense-only', 4],
        ['both', 3],
      ],
    );
  });

  it('maps refusals to the error classes of the SDK', async () => {
    const index = pinecone.index({ name: 'dense' });
    const wrong = index.upsert({ records: [{ id: 'x', values: [1, 2] }] });
    const message = /Vector dimension 2 does not match the dimension of the index 3/;
    await assert.rejects(wrong, { name: 'PineconeBadRequestError', message });
    const vector = [1, 0, 0];
    await assert.rejects(index.query({ vector, topK: 1, filter: { year: { $gt: 'x' } } }), {
      name: 'PineconeBadRequestError',
      message: /illegal condition for field year/,
    });
    const { host } = await pinecone.describeIndex('dense');
    const stranger = new Pinecone({ apiKey: 'pcsk_unknown_key', controllerHostUrl: service.url });
    await assert.rejects(stranger.index({ host }).query({ vector, topK: 1 }), {
      name: 'PineconeAuthorizationError',
    });
  });
});
