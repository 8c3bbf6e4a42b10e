// Documents, by the official SDK 9 as it comes from npm: what its own guide shows, call by call.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Errors, type Index, Pinecone } from '@pinecone-database/pinecone';
import { API_KEY, type Service, startService } from './support/service.ts';

const DEPLOYMENT = { deploymentType: 'managed', cloud: 'aws', region: 'us-east-1' } as const;
const NAMESPACE = 'it docs/1';

/** The SDK's error classes are told apart by name. */
function named(name: keyof typeof Errors, message?: RegExp) {
  return message === undefined ? { name } : { name, message };
}

type Clause = Parameters<Index['documents']['search']>[0]['scoreBy'][number];

const APPLE = {
  _id: 'apple',
  text: 'crisp apple fruit',
  title: 'orchard',
  dense: [1, 0],
  sparse: { indices: [1], values: [1] },
  group: 'fruit',
};
const PEAR = {
  _id: 'pear',
  text: 'fresh pear fruit',
  title: 'orchard',
  dense: [0, 1],
  sparse: { indices: [2], values: [0.4] },
  group: 'fruit',
};
const CAR = {
  _id: 'car',
  text: 'electric car vehicle',
  title: 'garage',
  dense: [0.5, 0.5],
  sparse: { indices: [3], values: [1] },
  group: 'vehicle',
};

describe('SDK 9, documents', () => {
  let service: Service;
  let pinecone: Pinecone;
  let index: Index;
  before(async () => {
    service = await startService();
    pinecone = new Pinecone({ apiKey: API_KEY, controllerHostUrl: service.url });
    const { host } = await pinecone.createIndex({
      name: 'docs',
      deployment: DEPLOYMENT,
      schema: {
        fields: {
          text: { type: 'string', fullTextSearch: {} },
          title: { type: 'string', fullTextSearch: {} },
          dense: { type: 'dense_vector', dimension: 2, metric: 'dotproduct' },
          sparse: { type: 'sparse_vector' },
        },
      },
      waitUntilReady: true,
    });
    index = pinecone.index({ host: host ?? '', namespace: NAMESPACE });
    const { upsertedCount } = await index.documents.upsert({ documents: [APPLE, PEAR, CAR] });
    assert.equal(upsertedCount, 3);
  });
  after(() => service.dispose());

  async function ids(scoreBy: readonly object[], more: object = {}): Promise<readonly string[]> {
    const request = { topK: 10, scoreBy: [...scoreBy], ...more };
    const { matches } = await index.documents.search(request as Parameters<typeof index.documents.search>[0]);
    return matches.map(({ _id }) => String(_id));
  }

  it('shows the schema of the index', async () => {
    const { schema } = await pinecone.describeIndex('docs');
    assert.partialDeepStrictEqual(schema, {
      fields: {
        dense: { type: 'dense_vector', dimension: 2, metric: 'dotproduct' },
        sparse: { type: 'sparse_vector' },
      },
    });
  });

  it('searches by words, query strings, dense and sparse vectors', async () => {
    assert.deepEqual(await ids([{ type: 'text', fields: ['text'], query: 'apple' }]), ['apple']);
    assert.deepEqual(await ids([{ type: 'query_string', query: 'text:apple' }]), ['apple']);
    assert.deepEqual(await ids([{ type: 'query_string', query: 'apple' }]), ['apple']);
    const both = [
      { type: 'text', fields: ['text'], query: 'apple' },
      { type: 'text', fields: ['title'], query: 'orchard' },
    ];
    assert.deepEqual(await ids(both), ['apple', 'pear']);
    assert.deepEqual(await ids([{ type: 'text', fields: ['text', 'title'], query: 'apple orchard' }]), [
      'apple',
      'pear',
    ]);
    const mixed = [
      { type: 'text', fields: ['text'], query: 'apple' },
      { type: 'query_string', query: 'title:orchard' },
    ];
    assert.deepEqual(await ids(mixed), ['apple', 'pear']);
    const dense = [{ type: 'dense_vector', fields: ['dense'], values: [1, 0] }];
    assert.deepEqual(await ids(dense), ['apple', 'car', 'pear']);
    assert.deepEqual(await ids(dense, { filter: { group: 'fruit' } }), ['apple', 'pear']);
    const sparse = { indices: [1], values: [1] };
    assert.deepEqual(await ids([{ type: 'sparse_vector', fields: ['sparse'], sparseValues: sparse }]), [
      'apple',
    ]);
  });

  it('returns the fields that a search includes, and only ids and scores by default', async () => {
    const search = (includeFields?: string[]) =>
      index.documents.search({
        topK: 1,
        scoreBy: [{ type: 'dense_vector', fields: ['dense'], values: [1, 0] }],
        ...(includeFields && { includeFields }),
      });
    const bare = await search();
    assert.deepEqual(bare.matches, [{ _id: 'apple', _score: 1 }]);
    assert.equal(bare.namespace, NAMESPACE);
    assert.deepEqual((await search(['title'])).matches, [{ _id: 'apple', _score: 1, title: 'orchard' }]);
    assert.deepEqual((await search(['*'])).matches, [{ ...APPLE, _score: 1 }]);
  });

  it('filters by the words of a text together with metadata', async () => {
    const dense = [{ type: 'dense_vector', fields: ['dense'], values: [1, 0] }];
    const filters: readonly (readonly [object, readonly string[]])[] = [
      [{ text: { $match_all: 'fruit fresh' } }, ['pear']],
      [{ text: { $match_any: 'apple car' } }, ['apple', 'car']],
      [{ text: { $match_phrase: 'apple fruit' } }, ['apple']],
      [{ text: { $match_phrase: 'fruit apple' } }, []],
      [{ $and: [{ text: { $match_any: 'fruit' } }, { group: { $ne: 'vehicle' } }] }, ['apple', 'pear']],
      [{ text: { $not: { $match_any: 'fruit' } } }, ['car']],
    ];
    for (const [filter, expected] of filters) {
      assert.deepEqual(await ids(dense, { filter }), expected, JSON.stringify(filter));
    }
  });

  it('fetches documents exactly as they were upserted, by id and by filter', async () => {
    const { documents } = await index.documents.fetch({ ids: ['apple', 'none', 'pear'] });
    assert.deepEqual(documents, { apple: APPLE, pear: PEAR });
    const request = { filter: { group: 'fruit' }, limit: 1 };
    const first = await index.documents.fetch(request);
    assert.deepEqual(Object.keys(first.documents), ['apple']);
    const next = first.pagination?.next;
    assert.ok(next);
    const second = await index.documents.fetch({ ...request, paginationToken: next });
    assert.deepEqual(Object.keys(second.documents), ['pear']);
    assert.equal(second.pagination?.next, undefined);
  });

  it('lists ids, by prefix too', async () => {
    const list = async (prefix?: string) => {
      const { documents } = await index.documents.list(prefix === undefined ? {} : { prefix });
      return documents.map(({ _id }) => _id);
    };
    assert.deepEqual(await list(), ['apple', 'car', 'pear']);
    assert.deepEqual(await list('p'), ['pear']);
    assert.deepEqual(await list('nobody'), []);
  });

  it('updates and deletes by id and by filter', async () => {
    const changes = index.namespace('changes');
    await changes.documents.upsert({ documents: [APPLE, PEAR, CAR] });
    await changes.documents.update({
      documents: [{ _id: 'apple', text: 'sour quince', _remove_fields: ['group'] }],
    });
    const { documents } = await changes.documents.fetch({ ids: ['apple'] });
    const { group: _, ...kept } = APPLE;
    assert.deepEqual(documents.apple, { ...kept, text: 'sour quince' });
    const found = async (query: string) => {
      const { matches } = await changes.documents.search({
        topK: 5,
        scoreBy: [{ type: 'text', fields: ['text'], query }],
      });
      return matches.map(({ _id }) => _id);
    };
    assert.deepEqual([await found('apple'), await found('quince')], [[], ['apple']]);
    const updated = await changes.documents.update({
      filter: { group: 'fruit' },
      setFields: { ripe: true },
    });
    assert.equal(updated.matchedRecords, 1);
    const removed = await changes.documents.delete({ filter: { ripe: true } });
    assert.equal(removed.matchedRecords, 1);
    await changes.documents.delete({ ids: ['car'] });
    assert.deepEqual((await changes.documents.list({})).documents, [{ _id: 'apple' }]);
    await changes.documents.delete({ deleteAll: true });
    assert.deepEqual((await changes.documents.list({})).documents, []);
  });

  it('refuses what the documents API does not take, with the class of a bad request', async () => {
    const bad = named('PineconeBadRequestError');
    const dense = { type: 'dense_vector', fields: ['dense'], values: [1, 0] } satisfies Clause;
    const text = { type: 'text', fields: ['text'], query: 'apple' } satisfies Clause;
    const search = (scoreBy: Clause[]) => index.documents.search({ topK: 1, scoreBy });
    await assert.rejects(search([dense, text]), bad);
    await assert.rejects(search([{ ...text, query: '   ' }]), bad);
    await assert.rejects(search([{ ...dense, values: [1] }]), bad);
    await assert.rejects(index.documents.upsert({ documents: [{ _id: 'bare', group: 'x' }] }), bad);
    await assert.rejects(index.documents.delete({ filter: { text: { $match_phrase: 'apple' } } }), bad);
    await assert.rejects(
      index.query({ vector: [1, 0], topK: 1 }),
      named('PineconeBadRequestError', /documents/),
    );
  });

  it('refuses document calls on an index of the vectors API, whatever their body', async () => {
    const { host } = await pinecone.createIndex({
      name: 'plain',
      dimension: 2,
      spec: { serverless: { cloud: 'aws', region: 'us-east-1' } },
      waitUntilReady: true,
    });
    const plain = pinecone.index({ host: host ?? '' });
    await assert.rejects(
      plain.documents.upsert({ documents: [{ _id: 'a' }] }),
      named('PineconeBadRequestError', /vectors API/),
    );
  });
});
