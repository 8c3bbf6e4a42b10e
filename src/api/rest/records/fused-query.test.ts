// Queries whose dense and sparse rankings are fused, on hybrid indexes of vectors.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, makeTestIndex, store, type TestIndex } from '../testing/data-client.ts';

const one = (index: number, value: number) => ({ indices: [index], values: [value] });
const RECORDS = [
  { id: 'a', values: [3, 0, 0], sparseValues: one(1, 1), metadata: { n: 1 } },
  { id: 'b', values: [2, 0, 0], metadata: { n: 2 } },
  { id: 'c', values: [1, 0, 0], sparseValues: one(1, 100), metadata: { n: 3 } },
];
const QUERY = { vector: [1, 0, 0], sparseVector: one(1, 1), topK: 3 };

async function filled(metric: 'dotproduct' | 'cosine' = 'dotproduct'): Promise<TestIndex> {
  const index = makeTestIndex({ metric });
  await store(index.call, metric === 'cosine' ? RECORDS.slice(1, 2) : RECORDS);
  return index;
}

interface Found {
  readonly id: string;
  readonly score: number;
}

async function matches(body: object): Promise<readonly Found[]> {
  const reply = await (await filled()).call('query_vectors', { body: { ...QUERY, ...body } });
  assert.equal(reply.status, 200, reply.text);
  return (reply.json as { readonly matches: readonly Found[] }).matches;
}

const shown = (found: readonly Found[]) => found.map(({ id, score }) => [id, Math.fround(score)]);

describe('a fusion of dense and sparse rankings', () => {
  it('adds reciprocal ranks, with a weight for each', async () => {
    assert.deepEqual(shown(await matches({ fusion: { k: 1 } })), [
      ['a', Math.fround(1 / 2 + 1 / 3)],
      ['c', Math.fround(1 / 4 + 1 / 2)],
      ['b', Math.fround(1 / 3)],
    ]);
    assert.deepEqual(shown(await matches({ fusion: { method: 'weighted', weights: [1, 3] } })), [
      ['c', 3],
      ['a', 1],
      ['b', 0.5],
    ]);
  });

  it('adds scores as before when it is absent', async () => {
    assert.deepEqual(shown(await matches({})), [
      ['c', 101],
      ['a', 4],
      ['b', 2],
    ]);
  });

  it('includes values and metadata, and takes the vectors of a record', async () => {
    const { call } = await filled();
    const body = { id: 'c', topK: 1, fusion: { k: 1 }, includeValues: true, includeMetadata: true };
    const { json } = await call('query_vectors', { body });
    assert.partialDeepStrictEqual(json, {
      matches: [{ id: 'a', values: [3, 0, 0], sparseValues: one(1, 1), metadata: { n: 1 } }],
    });
    const dense = await call('query_vectors', { body: { id: 'b', topK: 2, fusion: { k: 1 } } });
    assert.partialDeepStrictEqual(dense.json, { matches: [{ id: 'a', score: 0.5 }, { id: 'b' }] });
  });

  it('is part of the query of a records search, too', async () => {
    const { call } = await filled();
    const vector = { values: [1, 0, 0], sparse_indices: [1], sparse_values: [1] };
    const body = { query: { vector, top_k: 2, fusion: { weights: [0, 1] } }, fields: ['n'] };
    const { json } = await call('search_records', { body, params: { namespace: '__default__' } });
    assert.partialDeepStrictEqual(json, {
      result: {
        hits: [
          { _id: 'c', fields: { n: 3 } },
          { _id: 'a', fields: { n: 1 } },
        ],
      },
    });
  });

  it('is refused without both vectors, on other metrics, and with wrong weights', async () => {
    const { call } = await filled();
    const query = (body: object) => call('query_vectors', { body: { topK: 1, fusion: {}, ...body } });
    await assertRefused(query({ vector: [1, 0, 0] }), /^fusion needs a dense and a sparse query vector/);
    await assertRefused(query({ ...QUERY, fusion: { weights: [1] } }), /each of the 2 rankings, got 1/);
    for (const weights of [[1, -1], [1, 1e308], [1, 'x'], 1]) {
      await assertRefused(query({ ...QUERY, fusion: { weights } }), /list of numbers from 0 to 1000000/);
    }
    await assertRefused(query({ ...QUERY, fusion: { by: 1 } }), /fusion has an unknown key 'by'/);
    const cosine = await filled('cosine');
    const body = { id: 'b', topK: 1, fusion: {} };
    await assertRefused(cosine.call('query_vectors', { body }), /^fusion is for dense indexes with metric/);
  });
});
