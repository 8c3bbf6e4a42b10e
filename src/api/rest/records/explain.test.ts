// Guarantees of explanations: searches return them on request, and only then.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { makeTestIndex, store } from '../testing/data-client.ts';
import { queryVectors } from './query-vectors.ts';
import { searchRecords } from './search-records.ts';

const FILMS = [
  { id: 'a', values: [1, 0, 0], metadata: { genre: 'drama' } },
  { id: 'b', values: [0, 1, 0], metadata: { genre: 'drama' } },
  { id: 'c', values: [0, 0, 1], metadata: { genre: 'noir' } },
];
const FILTER = { genre: 'drama' };
const QUERY = { body: { vector: [1, 0, 0], topK: 1, filter: FILTER, includeMetadata: true } };
const SEARCH = {
  params: { namespace: '__default__' },
  body: { query: { vector: { values: [1, 0, 0] }, top_k: 1, filter: FILTER } },
};
const CASES = [
  { endpoint: queryVectors, id: 'query_vectors', request: QUERY, names: ['rowsScored', 'nodesVisited'] },
  { endpoint: searchRecords, id: 'search_records', request: SEARCH, names: ['rows_scored', 'nodes_visited'] },
] as const;

async function filledIndex() {
  const index = makeTestIndex();
  await store(index.call, FILMS);
  return index;
}

for (const { endpoint, id, request, names } of CASES) {
  describe(id, () => {
    it('explains a search on request, in the spelling and by the schema of its endpoint', async () => {
      const { call } = await filledIndex();
      const { status, json } = await call(id, { ...request, explain: true });
      assert.equal(status, 200);
      const { explain } = json as { readonly explain: Readonly<Record<string, unknown>> };
      assert.partialDeepStrictEqual(explain, { structure: 'direct', matched: 2, live: 3, tries: 1 });
      for (const name of names) assert.equal(typeof explain[name], 'number', name);
      assert.deepEqual(Object.keys(explain.milliseconds as object), [
        'wait',
        'filter',
        'search',
        'rescore',
        'fetch',
        'total',
      ]);
      const { schema } = endpoint.success;
      assert.ok(schema !== undefined);
      assert.deepEqual([...Compile(schema).Errors(json)], []);
    });

    it('changes no other byte of the answer', async () => {
      const { call } = await filledIndex();
      const plain = await call(id, request);
      const explained = await call(id, { ...request, explain: true });
      assert.ok(!plain.text.includes('explain'));
      assert.equal(explained.text.slice(0, plain.text.length - 1), plain.text.slice(0, -1));
      assert.deepEqual(explained.headers, plain.headers);
    });

    it('returns errors without an explanation', async () => {
      const { call } = await filledIndex();
      const wrong = { ...request, body: {}, explain: true };
      const { status, text } = await call(id, wrong);
      assert.equal(status, 400);
      assert.equal(text, (await call(id, { ...request, body: {} })).text);
    });
  });
}

it('explains a query by an unknown id as no search', async () => {
  const { call } = await filledIndex();
  const { json } = await call('query_vectors', { body: { id: 'none', topK: 1 }, explain: true });
  assert.partialDeepStrictEqual(json, { matches: [], explain: { structure: 'none', tries: 0, live: 0 } });
});

it('ignores the header on endpoints that do not search', async () => {
  const { call } = await filledIndex();
  for (const id of ['list_vectors', 'get_index_stats', 'list_namespaces']) {
    assert.equal((await call(id, { explain: true })).text, (await call(id)).text, id);
  }
});
