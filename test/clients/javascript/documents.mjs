// Drives every method of documents of the TypeScript client 9.0, over every kind of field and of clause.
import assert from 'node:assert/strict';
import { Pinecone } from '@pinecone-database/pinecone';
import { runTests, watch } from './harness.mjs';

const { PINECONE_API_KEY: apiKey, PINYON_URL: controllerHostUrl } = process.env;
const pinecone = new Pinecone({ apiKey, controllerHostUrl });
const DEPLOYMENT = { deploymentType: 'managed', cloud: 'aws', region: 'us-east-1' };
const SPACE = 'it films/1';
const ROWS = [
  { _id: 'a', title: 'The last lighthouse keeper', plot: 'storms', dense: [1, 0, 0], year: 2019 },
  { _id: 'b', title: 'A bakery by the sea', dense: [0, 1, 0], year: 2020, seen: true, genres: ['drama'] },
  { _id: 'c', title: 'Bakers at sea', dense: [0.6, 0.8, 0], sparse: { indices: [1, 7], values: [0.5, 0.4] } },
];
const NEAR = { type: 'dense_vector', fields: ['dense'], values: [1, 0, 0] };

let documents;
let uncalled;

async function found(scoreBy, more = {}, from = documents) {
  const answer = await from.search({ topK: 10, scoreBy: [scoreBy].flat(), ...more });
  assert.equal(answer.namespace, SPACE);
  assert.ok(answer.usage.readUnits >= 0);
  return answer.matches.map(({ _id }) => _id);
}

/** Plain requests for what this version of the client cannot say. */
async function call(path, body, host = controllerHostUrl) {
  const headers = {
    'api-key': apiKey,
    'x-pinecone-api-version': '2026-07',
    'content-type': 'application/json',
  };
  const response = await fetch(`${host}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const bad = (request) => assert.rejects(request, { name: 'PineconeBadRequestError' });

await runTests({
  'creates an index with every kind of field and describes it': async () => {
    const { host } = await pinecone.createIndex({
      name: 'films',
      deployment: DEPLOYMENT,
      schema: {
        fields: {
          dense: { type: 'dense_vector', dimension: 3, metric: 'cosine', description: 'a place' },
          sparse: { type: 'sparse_vector' },
          title: {
            type: 'string',
            fullTextSearch: { language: 'english', stemming: true, stopWords: true },
          },
          plot: { type: 'string', fullTextSearch: { ngram: { minGram: 2, maxGram: 4, prefixOnly: false } } },
        },
      },
      waitUntilReady: true,
    });
    const { fields } = (await pinecone.describeIndex('films')).schema;
    assert.equal(fields.dense.description, 'a place');
    assert.deepEqual(Object.keys(fields).sort(), ['dense', 'plot', 'sparse', 'title']);
    assert.equal(fields.title.fullTextSearch.language, 'en');
    assert.equal(fields.plot.fullTextSearch.ngram.maxGram, 4);
    documents = pinecone.index({ host, namespace: SPACE }).documents;
    uncalled = watch(documents.constructor);
    const bare = { name: 'bare', deployment: DEPLOYMENT, schema: { fields: { t: { type: 'string' } } } };
    await assert.rejects(pinecone.createIndex(bare), /search/);
  },
  'upserts documents, and replaces one whole': async () => {
    assert.equal((await documents.upsert({ documents: ROWS })).upsertedCount, 3);
    await documents.upsert({ documents: [{ _id: 'd', title: 'Sharks', dense: [0, 0, 1], year: 1 }] });
    await documents.upsert({ documents: [{ _id: 'd', title: 'Whales', dense: [0, 0, 1] }] });
    const { documents: stored } = await documents.fetch({ ids: ['d'] });
    assert.deepEqual(stored.d, { _id: 'd', title: 'Whales', dense: [0, 0, 1] });
    await bad(documents.upsert({ documents: [{ _id: 'x', year: 1 }] }));
    await bad(documents.upsert({ documents: [{ _id: 'x', dense: 'text' }] }));
    await bad(documents.upsert({ documents: [ROWS[0], { _id: 'x', dense: [1] }] }));
  },
  'searches by every type of clause': async () => {
    assert.deepEqual(await found({ type: 'text', fields: ['title'], query: 'the bakery' }), ['b']);
    assert.deepEqual(await found({ type: 'text', field: 'title', query: 'lighthouses' }), ['a']);
    assert.deepEqual(await found({ type: 'text', fields: ['plot'], query: 'torm' }), ['a']);
    const query = 'title:"last lighthouse" -bakery';
    assert.deepEqual(await found({ type: 'query_string', query }), ['a']);
    assert.deepEqual(await found(NEAR), ['a', 'c', 'b', 'd']);
    const sparseValues = { indices: [7], values: [1] };
    assert.deepEqual(await found({ type: 'sparse_vector', fields: ['sparse'], sparseValues }), ['c']);
    const both = [
      { type: 'text', fields: ['title'], query: 'sea' },
      { type: 'query_string', query: 'whales^3' },
    ];
    assert.deepEqual((await found(both)).sort(), ['b', 'c', 'd']);
    assert.deepEqual((await found({ type: 'query_string', query: '*' })).length, 4);
  },
  'searches by embedded texts': async () => {
    const field = { type: 'string', embed: {}, sparse_embed: {} };
    const made = await call('/indexes', { name: 'notes', schema: { fields: { note: field } } });
    const notes = pinecone.index({ host: made.host, namespace: SPACE }).documents;
    const rows = [
      { _id: 'moon', note: 'Astronauts walked on the moon' },
      { _id: 'bread', note: 'Bread is made of flour' },
    ];
    await notes.upsert({ documents: rows });
    for (const type of ['embed', 'sparse_embed', 'text']) {
      const ids = await found({ type, fields: ['note'], query: 'flour for bread' }, {}, notes);
      assert.equal(ids[0], 'bread', type);
    }
    await pinecone.deleteIndex('notes');
  },
  'returns the included fields, and filters by words and metadata': async () => {
    const one = async (includeFields) =>
      (await documents.search({ topK: 1, scoreBy: [NEAR], includeFields })).matches[0];
    assert.deepEqual(await one(), { _id: 'a', _score: 1 });
    assert.deepEqual(await one(['year']), { _id: 'a', _score: 1, year: 2019 });
    assert.deepEqual(await one(['*']), { ...ROWS[0], _score: 1 });
    const cases = [
      [{ year: { $gt: 2019 } }, ['b']],
      [{ year: { $ne: 2019 } }, ['c', 'b', 'd']],
      [{ year: { $exists: true } }, ['a', 'b']],
      [{ genres: { $in: ['drama', 'news'] } }, ['b']],
      [{ title: { $match_phrase: 'last lighthouse' } }, ['a']],
      [{ title: { $match_all: 'sea bakers' } }, ['c']],
      [{ title: { $match_any: 'whales keeper' } }, ['a', 'd']],
      [{ title: { $not: { $match_any: 'sea' } } }, ['a', 'd']],
      [{ $and: [{ title: { $match_any: 'sea' } }, { $not: { seen: true } }] }, ['c']],
      [{ $or: [{ year: 2020 }, { title: { $match_any: 'whales' } }] }, ['b', 'd']],
    ];
    for (const [filter, ids] of cases)
      assert.deepEqual(await found(NEAR, { filter }), ids, JSON.stringify(filter));
  },
  'fetches by id and by filter, in pages, and lists': async () => {
    const { documents: byId } = await documents.fetch({ ids: ['a', 'c', 'none'] });
    assert.deepEqual(byId, { a: ROWS[0], c: ROWS[2] });
    const request = { filter: { year: { $gte: 2019 } }, limit: 1, includeFields: ['year'] };
    const first = await documents.fetch(request);
    assert.deepEqual(first.documents, { a: { _id: 'a', year: 2019 } });
    const second = await documents.fetch({ ...request, paginationToken: first.pagination.next });
    assert.deepEqual([Object.keys(second.documents), second.pagination?.next], [['b'], undefined]);
    const page = await documents.list({ limit: 3 });
    const rest = await documents.list({ limit: 3, paginationToken: page.pagination.next });
    const ids = [...page.documents, ...rest.documents].map(({ _id }) => _id);
    assert.deepEqual(ids, ['a', 'b', 'c', 'd']);
    assert.deepEqual((await documents.list({ prefix: 'nobody' })).documents, []);
  },
  'reads through an alias and does not write through it': async () => {
    const { host } = await pinecone.describeIndex('films');
    await call('/namespace-aliases', { name: 'current', target_namespace: SPACE }, host);
    const alias = pinecone.index({ host, namespace: 'current' }).documents;
    assert.equal((await alias.search({ topK: 1, scoreBy: [NEAR] })).namespace, SPACE);
    assert.equal((await alias.list()).documents.length, 4);
    await assert.rejects(alias.upsert({ documents: [ROWS[0]] }), { name: 'PineconeConflictError' });
    await assert.rejects(alias.delete({ ids: ['a'] }));
  },
  'updates by id and by filter': async () => {
    const changes = [
      { _id: 'a', year: 2022 },
      { _id: 'b', title: 'Harbor', _remove_fields: ['seen'] },
    ];
    await documents.update({ documents: changes });
    const { documents: stored } = await documents.fetch({ ids: ['a', 'b'] });
    assert.deepEqual(stored.a, { ...ROWS[0], year: 2022 });
    const { seen: _, ...kept } = ROWS[1];
    assert.deepEqual(stored.b, { ...kept, title: 'Harbor' });
    const filter = { year: 2022 };
    const updated = await documents.update({ filter, setFields: { old: false }, removeFields: ['year'] });
    assert.equal(updated.matchedRecords, 1);
    await bad(documents.update({ filter: { title: { $match_any: 'sea' } }, setFields: { x: 1 } }));
    await bad(documents.update({ documents: [{ _id: 'a', _remove_fields: ['dense'] }] }));
  },
  'deletes by id, by filter and all': async () => {
    assert.equal((await documents.delete({ ids: ['a', 'none'] })).matchedRecords, undefined);
    assert.equal((await documents.delete({ filter: { year: 2020 } })).matchedRecords, 1);
    await bad(documents.delete({ filter: { title: { $match_phrase: 'sea' } } }));
    await documents.delete({ deleteAll: true });
    assert.deepEqual((await documents.list()).documents, []);
  },
  'refuses wrong requests with the class of a bad request': async () => {
    const text = { type: 'text', fields: ['title'], query: 'apple' };
    const search = (...scoreBy) => documents.search({ topK: 1, scoreBy });
    await bad(search(NEAR, text));
    await bad(search({ ...text, query: ' ' }));
    await bad(search({ ...text, fields: ['year'] }));
    await bad(search({ type: 'query_string', query: 'a', fields: ['title'] }));
    await bad(search({ type: 'query_string', query: '"open' }));
    await bad(search({ ...NEAR, values: [1] }));
    await bad(search({ type: 'cosine' }));
    await bad(documents.search({ topK: 10_001, scoreBy: [NEAR] }));
    const both = documents.fetch({ ids: ['a'], filter: { year: 1 } });
    await assert.rejects(both, { name: 'PineconeArgumentError' });
    const missing = pinecone.index({ name: 'none' }).documents;
    await assert.rejects(missing.list(), { name: 'PineconeNotFoundError' });
  },
  'calls every public method': async () => {
    assert.deepEqual(uncalled(), []);
    await pinecone.deleteIndex('films');
  },
});
