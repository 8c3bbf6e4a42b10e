// Query and records search: exact answers and refusals.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QueryExplain } from '../../../domain/query-explain.ts';
import { sampleQuery } from '../../../engine/conformance/sample-data.ts';
import type { QueryRequest } from '../../../engine/port/reader-and-writer.ts';
import { readerOver } from '../../../engine/port/reader-over.ts';
import { assertRefused, dataError, makeTestIndex, store } from '../testing/data-client.ts';
import { withHeaderRecall } from './recall-target.ts';

const RECORDS = [
  { id: 'a', values: [1, 0, 0], metadata: { genre: 'drama', year: 2020 } },
  { id: 'b', values: [1, 1, 0] },
  { id: 'c', values: [0, 0.1, 0], metadata: { genre: 'noir' } },
];
const sparse = (...indices: number[]) => ({ indices, values: indices.map(() => 1) });

async function filled(details: Parameters<typeof makeTestIndex>[0] = {}) {
  const index = makeTestIndex(details);
  await store(index.call, RECORDS);
  return index;
}

describe('POST /query', () => {
  it('returns the top matches, without values and metadata unless requested', async () => {
    const { call } = await filled();
    const reply = await call('query_vectors', { body: { vector: [2, 0, 0], topK: 2 } });
    const expected =
      '{"results":[],"matches":[{"id":"a","score":1,"values":[]},{"id":"b","score":0.70710677,"values":[]}],' +
      '"namespace":"","usage":{"readUnits":1}}';
    assert.deepEqual([reply.status, reply.text], [200, expected]);
  });

  it('includes values and metadata, by id too, under a filter', async () => {
    const { call } = await filled({ metric: 'euclidean' });
    const body = { id: 'c', topK: 5, includeValues: true, include_metadata: true, namespace: '__default__' };
    const reply = await call('query_vectors', { body: { ...body, filter: { genre: { $exists: true } } } });
    const matches =
      '{"id":"c","score":0,"values":[0,0.1,0],"metadata":{"genre":"noir"}},' +
      '{"id":"a","score":1.01,"values":[1,0,0],"metadata":{"genre":"drama","year":2020}}';
    const tail = '"namespace":"__default__","usage":{"readUnits":1}}';
    assert.equal(reply.text, `{"results":[],"matches":[${matches}],${tail}`);
  });

  it('returns no matches for an unknown id or namespace', async () => {
    const { call } = await filled();
    for (const body of [
      { id: 'zz', topK: 1 },
      { vector: [1, 1, 1], topK: 1, namespace: 'none' },
    ]) {
      const reply = await call('query_vectors', { body });
      assert.equal(reply.status, 200);
      assert.match(reply.text, /"matches":\[\]/);
    }
  });

  it('searches sparse and hybrid indexes', async () => {
    const only = makeTestIndex({ vectorType: 'sparse', metric: 'dotproduct' });
    await store(only.call, [
      { id: 'a', sparseValues: sparse(1, 5) },
      { id: 'b', sparseValues: sparse(7) },
    ]);
    const body = { sparseVector: sparse(5, 1), topK: 9, includeValues: true };
    const match = '{"id":"a","score":2,"values":[],"sparseValues":{"indices":[1,5],"values":[1,1]}}';
    assert.match(
      (await only.call('query_vectors', { body })).text,
      new RegExp(`"matches":\\[${RegExp.escape(match)}\\]`),
    );
    const hybrid = await filled({ metric: 'dotproduct' });
    const both = await hybrid.call('query_vectors', {
      body: { vector: [1, 0, 0], sparse_vector: sparse(1), top_k: 1 },
    });
    assert.match(both.text, /"matches":\[\{"id":"a","score":1,"values":\[\]\}\]/);
  });

  it('accepts a zero vector except on cosine', async () => {
    const body = { vector: [0, 0, 0], topK: 1 };
    assert.equal(
      (await (await filled({ metric: 'dotproduct' })).call('query_vectors', { body })).status,
      200,
    );
    await assertRefused((await filled()).call('query_vectors', { body }), /at least one non-zero value/);
  });

  it('refuses invalid queries', async () => {
    const { call } = await filled();
    const topK = 1;
    const refusals: [object, string | RegExp][] = [
      [{ vector: [1, 2, 3] }, 'topK must be an integer from 1 to 10000'],
      [{ vector: [1, 2, 3], topK: 0 }, 'topK must be an integer from 1 to 10000'],
      [{ vector: [1, 2, 3], topK: 10_001 }, 'topK must be an integer from 1 to 10000'],
      [{ vector: [1, 2, 3], topK: 1.5 }, 'topK must be an integer from 1 to 10000'],
      [{ vector: [1, 2, 3], topK: '5' }, 'topK must be an integer from 1 to 10000'],
      [{ topK }, 'Give one of vector, sparseVector and id'],
      [{ topK, vector: [], id: '' }, 'Give one of vector, sparseVector and id'],
      [{ topK, vector: [1, 2, 3], id: 'a' }, 'Give either a query vector or an id, not both'],
      [{ topK, id: 'é' }, 'Vector ID must be ASCII without NUL characters'],
      [{ topK, vector: [1, 2] }, 'Vector dimension 2 does not match the dimension of the index 3'],
      [{ topK, vector: [1, 2, 1e39] }, 'Vector values must be finite 32-bit floats'],
      [
        { topK, vector: [1, 2, 3], sparseVector: sparse(1) },
        /^Index configuration does not support sparse values/,
      ],
      [{ topK, vector: [1, 2, 3], filter: { f: ['a'] } }, /^illegal condition for field f, got /],
      [{ topK, vector: [1, 2, 3], filter: 'x' }, /^filter must be an object/],
      [{ topK, vector: [1, 2, 3], includeValues: 'true' }, 'includeValues must be a boolean'],
      [{ topK, vector: [1, 2, 3], queries: [{}] }, /^queries is not supported/],
      [{ topK, vector: [1, 2, 3], scanFactor: 2 }, /dedicated read capacity$/],
      [{ topK, vector: [1, 2, 3], maxCandidates: 50 }, /dedicated read capacity$/],
    ];
    for (const [body, message] of refusals) await assertRefused(call('query_vectors', { body }), message);
  });

  it('refuses dense queries on sparse indexes and sparse-only queries on hybrid ones', async () => {
    const { call } = makeTestIndex({ vectorType: 'sparse', metric: 'dotproduct' });
    await assertRefused(
      call('query_vectors', { body: { topK: 1, vector: [1] } }),
      /^Sparse indexes take sparse values only/,
    );
    const empty = call('query_vectors', { body: { topK: 1, sparseVector: { indices: [], values: [] } } });
    await assertRefused(empty, 'Sparse vector must contain at least one value');
    const hybrid = await filled({ metric: 'dotproduct' });
    await assertRefused(
      hybrid.call('query_vectors', { body: { topK: 1, sparseVector: sparse(1) } }),
      /needs a dense query vector/,
    );
  });

  it('checks scan hints on dedicated dense indexes', async () => {
    const { call } = await filled({ dedicated: true });
    const body = { vector: [1, 2, 3], topK: 10 };
    assert.equal(
      (await call('query_vectors', { body: { ...body, scanFactor: 0.5, maxCandidates: 10 } })).status,
      200,
    );
    for (const scanFactor of [0.4, 4.1, 'x']) {
      await assertRefused(
        call('query_vectors', { body: { ...body, scanFactor } }),
        'scanFactor must be a number from 0.5 to 4',
      );
    }
    for (const maxCandidates of [9, 100_001, 10.5]) {
      const message = 'maxCandidates must be an integer from 10 to 100000';
      await assertRefused(call('query_vectors', { body: { ...body, maxCandidates } }), message);
    }
  });

  it('takes a recall in the body or in a header, and refuses one that is out of range or beside a scan factor', async () => {
    const { call } = await filled({ dedicated: true });
    const body = { vector: [1, 2, 3], topK: 10 };
    const search = { params: { namespace: '__default__' } };
    const query = { vector: { values: [1, 2, 3] }, top_k: 10 };
    for (const recall of [0.6, 0.999]) {
      const requests = [
        call('query_vectors', { body: { ...body, recall } }),
        call('query_vectors', { body, recall: String(recall) }),
        call('search_records', { ...search, body: { query: { ...query, recall } } }),
        call('search_records', { ...search, body: { query }, recall: String(recall) }),
      ];
      for (const { status } of await Promise.all(requests)) assert.equal(status, 200);
    }
    for (const recall of [0.59, 1, '0.95']) {
      const message = 'recall must be a number from 0.6 to 0.999';
      await assertRefused(call('query_vectors', { body: { ...body, recall } }), message);
      await assertRefused(
        call('search_records', { ...search, body: { query: { ...query, recall } } }),
        message,
      );
    }
    for (const recall of ['', '0.59', '1', 'x']) {
      const message = 'x-pinyon-recall must be a number from 0.6 to 0.999';
      await assertRefused(call('query_vectors', { body, recall }), message);
    }
    const both = { ...body, recall: 0.95, scanFactor: 2 };
    await assertRefused(call('query_vectors', { body: both }), 'Give either scanFactor or recall, not both');
  });

  it('lets a scanFactor of the body win over a recall of the header', async () => {
    const { call, store: stored } = await filled({ dedicated: true });
    const body = { vector: [1, 0, 0], topK: 1, scanFactor: 2 };
    assert.equal((await call('query_vectors', { body, recall: '0.6' })).status, 200);
    const asked: object[] = [];
    const query = async (request: object) => {
      asked.push(request);
      return [];
    };
    const aimed = withHeaderRecall(readerOver(stored, { query }), '0.6');
    await aimed.query(sampleQuery({ effort: 4 }));
    await aimed.query(sampleQuery({}));
    assert.deepEqual(
      asked.map((request) => 'recall' in request && request.recall),
      [false, 0.6],
    );
  });

  it('aims for the recall of the header in every kind of search', async () => {
    const { store: stored } = await filled({ dedicated: true });
    const asked: QueryRequest[] = [];
    const noted =
      <Result>(result: Result) =>
      async (request: QueryRequest) => {
        asked.push(request);
        return result;
      };
    const explanation = new QueryExplain().finish();
    const aimed = withHeaderRecall(
      readerOver(stored, {
        query: noted([]),
        explainQuery: noted({ matches: [], explanation }),
        countedQuery: noted({ matches: [], matched: 0 }),
      }),
      '0.6',
    );
    await aimed.query(sampleQuery({}));
    await aimed.explainQuery(sampleQuery({}));
    await aimed.countedQuery(sampleQuery({}));
    assert.deepEqual(
      asked.map(({ recall }) => recall),
      [0.6, 0.6, 0.6],
    );
  });

  it('refuses an answer over 4 MB', async () => {
    const { call } = makeTestIndex();
    const text = 'é'.repeat(20_000);
    for (let i = 0; i < 120; i++) await store(call, [{ id: `r${i}`, values: [1, 2, 3], metadata: { text } }]);
    const body = { vector: [1, 2, 3], topK: 100, includeMetadata: true };
    assert.equal((await call('query_vectors', { body })).status, 200);
    const message =
      'The response would exceed the maximum size of 4MB. Lower topK or leave out values and metadata.';
    await assertRefused(call('query_vectors', { body: { ...body, topK: 120 } }), message);
    const byExample = { recommend: { positive: ['r0'] }, topK: 119, includeMetadata: true };
    await assertRefused(call('query_vectors', { body: byExample }), message);
    assert.equal((await call('query_vectors', { body: { ...byExample, topK: 50 } })).status, 200);
  });
});

describe('POST /records/namespaces/{namespace}/search', () => {
  const params = { namespace: '__default__' };

  it('returns hits with the requested fields', async () => {
    const { call } = await filled();
    const query = { vector: { values: [1, 0, 0] }, top_k: 2 };
    const version = '2026-04' as const;
    const all = await call('search_records', { params, version, body: { query } });
    const first = '{"_id":"a","_score":1,"fields":{"genre":"drama","year":2020}}';
    const second = '{"_id":"b","_score":0.70710677,"fields":{}}';
    assert.equal(
      all.text,
      `{"result":{"hits":[${first},${second}]},"usage":{"read_units":1,"embed_total_tokens":0,"rerank_units":0}}`,
    );
    const some = await call('search_records', { params, version, body: { query, fields: ['year', 'none'] } });
    assert.match(some.text, /"fields":\{"year":2020\}/);
    // More than are read with the search.
    const deep = { query: { ...query, top_k: 101 }, fields: ['year', 'none'] };
    const { result } = (await call('search_records', { params, version, body: deep })).json as {
      readonly result: { readonly hits: readonly object[] };
    };
    assert.deepEqual(result.hits[0], { _id: 'a', _score: 1, fields: { year: 2020 } });
    const none = await call('search_records', {
      ...{ params, version: '2026-07' },
      body: { query, fields: [] },
    });
    const hits = '{"_id":"a","_score":1,"fields":{}},{"_id":"b","_score":0.70710677,"fields":{}}';
    assert.equal(
      none.text,
      `{"result":{"hits":[${hits}]},"usage":{"read_units":1,"embed_total_tokens":0,"rerank_units":0,"egress_bytes":${hits.length}}}`,
    );
  });

  it('searches by id, under a filter, and by sparse vectors', async () => {
    const { call } = await filled({ metric: 'dotproduct' });
    const query = { id: 'a', top_k: 9, filter: { genre: 'drama' } };
    assert.match(
      (await call('search_records', { params, body: { query } })).text,
      /"hits":\[\{"_id":"a","_score":1,/,
    );
    const missing = await call('search_records', { params, body: { query: { ...query, id: 'zz' } } });
    assert.match(missing.text, /"hits":\[\]/);
    const only = makeTestIndex({ vectorType: 'sparse', metric: 'dotproduct' });
    await store(only.call, [{ id: 's', sparseValues: sparse(4) }]);
    const vector = { sparse_indices: [4], sparse_values: [3] };
    const reply = await only.call('search_records', { params, body: { query: { vector, top_k: 1 } } });
    assert.match(reply.text, /"_id":"s","_score":3/);
  });

  it('returns 400 for text on an index without integrated embedding, with the same body for every version', async () => {
    const { call } = await filled();
    const message = 'Integrated inference is not configured for this index';
    const json = dataError({ status: 400, name: 'INVALID_ARGUMENT', code: 3 }, message);
    for (const version of ['2025-01', '2026-04', '2026-07', null] as const) {
      const search = { query: { inputs: { text: 'x' }, top_k: 1 } };
      const searched = await call('search_records', { params, version, body: search });
      assert.deepEqual([searched.status, searched.json], [400, json]);
      const stored = await call('upsert_records', { params, version, body: '{"_id":"a","text":"x"}\n' });
      assert.deepEqual([stored.status, stored.json], [400, json]);
    }
  });

  it('refuses invalid searches', async () => {
    const { call } = await filled();
    const query = { vector: { values: [1, 0, 0] }, top_k: 1 };
    const one = 'Give exactly one of inputs, vector and id';
    const refusals: [object, string | RegExp][] = [
      [{}, 'query is required'],
      [{ query: { ...query, top_k: 0 } }, 'top_k must be an integer from 1 to 10000'],
      [{ query: { vector: query.vector } }, 'top_k must be an integer from 1 to 10000'],
      [{ query: { top_k: 1 } }, one],
      [{ query: { ...query, id: 'a' } }, one],
      [{ query: { ...query, inputs: { text: 'x' } } }, one],
      [{ query: { ...query, vector: [1, 0, 0] } }, 'vector must be an object'],
      [{ query: { ...query, vector: {} } }, /^query.vector must hold values/],
      [{ query: { ...query, vector: { values: [1] } } }, /^Vector dimension 1 does not match/],
      [{ query: { ...query, match_terms: { terms: ['x'] } } }, 'match_terms is for searches with inputs'],
      [{ query: { ...query, filter: { f: null } } }, /^illegal condition for field f/],
      [{ query, fields: 'x' }, 'fields must be an array'],
      [{ query, fields: [1] }, 'fields must be strings'],
      [{ query, fields: Array.from({ length: 101 }, String) }, 'fields must hold at most 100 names'],
    ];
    for (const [body, message] of refusals) {
      await assertRefused(call('search_records', { params, version: '2026-04', body }), message);
    }
  });
});
