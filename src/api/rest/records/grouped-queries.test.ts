// Groups and value counts of searches on indexes of vectors and of texts, over the reference model.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertRefused, makeTestIndex, store, type TestIndex } from '../testing/data-client.ts';
import { denseTexts, lines, search, sparseTexts, upsert } from '../testing/text-client.ts';

const RECORDS = [
  { id: 'a', values: [1, 0, 0], metadata: { shop: 'north', price: 5 } },
  { id: 'b', values: [0.9, 0.1, 0], metadata: { shop: 'north', price: 9 } },
  { id: 'c', values: [0.8, 0.2, 0], metadata: { shop: 'north' } },
  { id: 'd', values: [0.5, 0.5, 0], metadata: { shop: ['south', 'north'], price: 5 } },
  { id: 'e', values: [0.4, 0.6, 0], metadata: { shop: 7 } },
  { id: 'f', values: [0, 1, 0] },
];

interface Answer {
  readonly matches: readonly { readonly id: string; readonly group?: unknown; readonly metadata?: object }[];
  readonly facets?: readonly object[];
}

async function filled(records: readonly object[] = RECORDS): Promise<TestIndex> {
  const index = makeTestIndex({ metric: 'cosine' });
  await store(index.call, records);
  return index;
}

async function query(index: TestIndex, body: object): Promise<Answer> {
  const reply = await index.call('query_vectors', { body: { topK: 3, vector: [1, 0, 0], ...body } });
  assert.equal(reply.status, 200, reply.text);
  return reply.json as Answer;
}

const shown = ({ matches }: Answer) => matches.map(({ id, group }) => [id, group]);

describe('groups of a query', () => {
  it('have the top records of each value, those with a list in the group of each of its strings', async () => {
    const index = await filled();
    assert.deepEqual(shown(await query(index, { groupBy: { field: 'shop', size: 2 } })), [
      ['a', 'north'],
      ['b', 'north'],
      ['d', 'south'],
      ['e', 7],
    ]);
    assert.deepEqual(shown(await query(index, { group_by: { field: 'shop', size: 1 }, topK: 2 })), [
      ['a', 'north'],
      ['d', 'south'],
    ]);
  });

  it('have the parts of records that are asked for, and obey the filter', async () => {
    const body = { groupBy: { field: 'shop', size: 1 }, includeMetadata: true, filter: { price: 5 } };
    const { matches } = await query(await filled(), body);
    assert.deepEqual(
      matches.map(({ id, metadata }) => [id, metadata]),
      [
        ['a', { shop: 'north', price: 5 }],
        ['d', { shop: ['south', 'north'], price: 5 }],
      ],
    );
  });

  it('are made of one search where filters cannot use the field', async () => {
    const index = makeTestIndex({ metric: 'cosine', filterableFields: ['price'] });
    await store(index.call, RECORDS);
    assert.deepEqual(shown(await query(index, { groupBy: { field: 'shop', size: 1 } })), [
      ['a', 'north'],
      ['d', 'south'],
      ['e', 7],
    ]);
  });

  it('are made of recommendations, without the examples', async () => {
    const body = { vector: undefined, recommend: { positive: ['a'] }, groupBy: { field: 'shop', size: 1 } };
    assert.deepEqual(shown(await query(await filled(), body)), [
      ['b', 'north'],
      ['d', 'south'],
      ['e', 7],
    ]);
  });

  it('are those of a search through all records', async () => {
    const record = fc.record({
      values: fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ max: 30 })),
      by: fc.integer({ min: 0, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (made, size) => {
          const records = made.map(({ values, by }, at) => ({
            id: `r${String(at).padStart(2, '0')}`,
            values: [...values, 1],
            metadata: { by: `g${by}` },
          }));
          const index = await filled(records);
          const all = await query(index, { topK: 100, includeMetadata: true });
          const groups = Map.groupBy(all.matches, ({ metadata }) => (metadata as { by: string }).by);
          const expected = [...groups].flatMap(([by, members]) =>
            members.slice(0, size).map(({ id }) => [id, by]),
          );
          assert.deepEqual(shown(await query(index, { topK: 10, groupBy: { field: 'by', size } })), expected);
        },
      ),
      { numRuns: 30, seed: 5 },
    );
  });

  it('refuse diversity, sizes out of range and too many matches', async () => {
    const { call } = await filled();
    const refused = async (body: object, message: RegExp) =>
      assertRefused(call('query_vectors', { body: { topK: 3, vector: [1, 0, 0], ...body } }), message);
    await refused(
      { groupBy: { field: 'shop' }, diversity: { weight: 0.5 } },
      /groupBy goes without diversity/,
    );
    await refused({ groupBy: { field: 'shop', size: 101 } }, /groupBy.size must be an integer from 1 to 100/);
    await refused(
      { groupBy: { field: 'shop' }, topK: 5_000 },
      /topK times groupBy.size .* at most 10000, got 15000/,
    );
    await refused({ groupBy: { size: 2 } }, /groupBy.field must be the name of a field/);
    await refused({ groupBy: { field: 'shop', by: 1 } }, /groupBy has an unknown key 'by'/);
  });
});

describe('facets of a query', () => {
  const values = (...pairs: readonly (readonly [unknown, number])[]) =>
    pairs.map(([value, count]) => ({ value, count }));

  it('count values among all records that pass the filter, however few are returned', async () => {
    const index = await filled();
    const facets = [{ field: 'shop' }, { field: 'price', limit: 1 }];
    const { matches, facets: counted } = await query(index, { facets, topK: 1 });
    assert.equal(matches.length, 1);
    assert.deepEqual(counted, [
      { field: 'shop', values: values(['north', 4], [7, 1], ['south', 1]), distinct: 3, exact: true },
      { field: 'price', values: values([5, 2]), distinct: 2, exact: true },
    ]);
    const filtered = await query(index, { facets: [{ field: 'shop' }], filter: { price: 9 } });
    assert.deepEqual(filtered.facets, [
      { field: 'shop', values: values(['north', 1]), distinct: 1, exact: true },
    ]);
  });

  it('count what shares an index with a sparse vector', async () => {
    const index = makeTestIndex({ metric: 'dotproduct', vectorType: 'sparse', dimension: null });
    await store(index.call, [
      { id: 'a', sparseValues: { indices: [1], values: [1] }, metadata: { kind: 'x' } },
      { id: 'b', sparseValues: { indices: [2], values: [1] }, metadata: { kind: 'y' } },
    ]);
    const body = {
      vector: undefined,
      sparseVector: { indices: [1, 9], values: [1, 1] },
      facets: [{ field: 'kind' }],
    };
    assert.deepEqual((await query(index, body)).facets, [
      { field: 'kind', values: values(['x', 1]), distinct: 1, exact: true },
    ]);
    const byId = await query(index, { vector: undefined, id: 'nobody', facets: [{ field: 'kind' }] });
    assert.deepEqual(byId.facets, [{ field: 'kind', values: [], distinct: 0, exact: true }]);
  });
});

describe('groups and facets of a search by text', () => {
  const NOTES = [
    { _id: 'cat', text: 'the cat sat', by: 'x' },
    { _id: 'cats', text: 'the cat ran', by: 'x' },
    { _id: 'dog', text: 'the dog sat', by: 'y' },
    { _id: 'car', text: 'red wheels', by: 'y' },
  ];

  for (const [name, make] of Object.entries({ dense: denseTexts, sparse: sparseTexts }))
    it(`find the top hits of each value with a ${name} model, and count what matches`, async () => {
      const index = make();
      await upsert(index, lines(...NOTES));
      const reply = await search(index, {
        query: {
          inputs: { text: 'the cat' },
          top_k: 2,
          group_by: { field: 'by', size: 1 },
          facets: [{ field: 'by' }],
        },
        fields: ['by'],
      });
      assert.equal(reply.status, 200, reply.text);
      const { result, facets } = reply.json as {
        readonly result: { readonly hits: readonly Record<string, unknown>[] };
        readonly facets: readonly { readonly values: readonly object[] }[];
      };
      assert.deepEqual(
        result.hits.map(({ _group, fields }) => [_group, fields]),
        [
          ['x', { by: 'x' }],
          ['y', { by: 'y' }],
        ],
      );
      assert.deepEqual(facets[0]?.values, values(['x', 2], ['y', name === 'dense' ? 2 : 1]));
    });

  const values = (...pairs: readonly (readonly [unknown, number])[]) =>
    pairs.map(([value, count]) => ({ value, count }));

  it('refuse groups with a rerank, and facets with required terms', async () => {
    const index = sparseTexts();
    await upsert(index, lines(...NOTES));
    const body = (more: object, rest: object = {}) => ({
      query: { inputs: { text: 'the cat' }, top_k: 2, ...more },
      ...rest,
    });
    const grouped = body(
      { group_by: { field: 'by' } },
      { rerank: { model: 'test-rerank', rank_fields: ['text'] } },
    );
    assertRefused(search(index, grouped), /rerank/);
    const required = body({ facets: [{ field: 'by' }], match_terms: { strategy: 'all', terms: ['cat'] } });
    assertRefused(search(index, required), /facets cannot be combined with match_terms/);
  });
});
