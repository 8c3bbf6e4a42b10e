// Queries by examples and diverse answers, over the reference model: what they find and what they refuse.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { assertRefused, makeTestIndex, store, type TestIndex } from '../testing/data-client.ts';

const RECORDS = [
  { id: 'east', values: [1, 0, 0], metadata: { kind: 'axis' } },
  { id: 'east2', values: [4, 0.2, 0], metadata: { kind: 'near' } },
  { id: 'east3', values: [1, 0.06, 0], metadata: { kind: 'near' } },
  { id: 'north', values: [0, 2, 0], metadata: { kind: 'axis' } },
  { id: 'between', values: [1, 1, 0] },
  { id: 'up', values: [0.2, 0, 1] },
];

let index: TestIndex;

async function idsBy(body: object): Promise<readonly string[]> {
  const reply = await index.call('query_vectors', { body });
  assert.equal(reply.status, 200, reply.text);
  const { matches } = reply.json as { readonly matches: readonly { readonly id: string }[] };
  return matches.map(({ id }) => id);
}

beforeEach(async () => {
  index = makeTestIndex({ metric: 'cosine' });
  await store(index.call, RECORDS);
});

describe('POST /query with recommend', () => {
  it('searches by the mean of the positive examples, whatever their lengths, without them', async () => {
    const found = await idsBy({ topK: 2, recommend: { positive: ['east', 'north'] } });
    assert.deepEqual(found, ['between', 'east3']);
    const mean = await idsBy({ topK: 6, vector: [1, 1, 0] });
    assert.deepEqual(
      await idsBy({
        topK: 6,
        recommend: {
          positive: [
            [5, 0, 0],
            [0, 0.1, 0],
          ],
          negative: [],
        },
      }),
      mean,
    );
  });

  it('moves away from the negative examples', async () => {
    const recommend = { positive: ['between'], negative: ['east'] };
    assert.deepEqual((await idsBy({ topK: 1, recommend }))[0], 'north');
    const [first] = await idsBy({ topK: 1, recommend: { positive: ['between'], negative: [[0, 1, 0]] } });
    assert.equal(first, 'east3');
  });

  it('applies the filter, and returns topK matches besides the examples', async () => {
    const recommend = { positive: ['east', 'east'], negative: ['up', 'nobody'] };
    assert.deepEqual(
      await idsBy({ topK: 2, recommend, filter: { kind: 'near' } }),
      ['east2', 'east3'].sort(),
    );
    assert.equal((await idsBy({ topK: 10, recommend })).length, 4);
  });

  it('finds nothing by ids that no record has', async () => {
    assert.deepEqual(await idsBy({ topK: 3, recommend: { positive: ['nobody'] } }), []);
    assert.deepEqual(await idsBy({ topK: 3, namespace: 'none', recommend: { positive: ['east'] } }), []);
  });

  it('refuses what is no recommendation', async () => {
    for (const [body, message] of [
      [{ recommend: { positive: [] } }, /recommend.positive must hold an example/],
      [{ recommend: {} }, /recommend.positive must be a list/],
      [{ recommend: { positive: [7] } }, /recommend.positive must hold ids and vectors/],
      [{ recommend: { positive: [[1, 2]] } }, /dimension/],
      [{ recommend: { positive: [[0, 0, 0]] } }, /non-zero/],
      [{ recommend: { positive: ['east'], like: [] } }, /like/],
      [{ recommend: { positive: ['east'] }, id: 'up' }, /Give either recommend/],
      [{ recommend: { positive: ['east'] }, vector: [1, 2, 3] }, /Give either recommend/],
      [{ recommend: { positive: ['east'] }, topK: 10_000 }, /together must be at most 10000, got 10001/],
      [
        {
          recommend: {
            positive: [
              [1, 0, 0],
              [-1, 0, 0],
            ],
          },
        },
        /cancel each other out/,
      ],
    ] as const) {
      await assertRefused(index.call('query_vectors', { body: { topK: 3, ...body } }), message);
    }
    const sparse = makeTestIndex({ vectorType: 'sparse', metric: 'dotproduct' });
    const body = { topK: 3, recommend: { positive: ['a'] } };
    await assertRefused(sparse.call('query_vectors', { body }), /recommend is for indexes of dense vectors/);
  });

  it('refuses examples whose vector exceeds 32-bit floats, unless only directions count', async () => {
    const records = [
      { id: 'far', values: [3e38, 0, 0] },
      { id: 'opposite', values: [-3e38, 0, 0] },
    ];
    const body = { topK: 1, recommend: { positive: ['far'], negative: ['opposite'] } };
    for (const metric of ['dotproduct', 'euclidean'] as const) {
      const { call } = makeTestIndex({ metric });
      await store(call, records);
      await assertRefused(call('query_vectors', { body }), 'Vector values must be finite 32-bit floats');
    }
    await store(index.call, records);
    assert.deepEqual(await idsBy(body), ['east']);
  });
});

describe('POST /query with diversity', () => {
  it('chooses matches unlike each other, in the order of choice, with their scores', async () => {
    const plain = { topK: 3, vector: [1, 0.05, 0.1] };
    assert.deepEqual([...(await idsBy(plain))].sort(), ['east', 'east2', 'east3']);
    const diverse = await idsBy({ ...plain, diversity: { weight: 0.6 } });
    assert.equal(diverse[0], (await idsBy(plain))[0]);
    assert.ok(diverse.filter((id) => id.startsWith('east')).length === 1, diverse.join());
    assert.deepEqual(await idsBy({ ...plain, diversity: { weight: 0 } }), await idsBy(plain));
    assert.deepEqual([...(await idsBy({ ...plain, diversity: { weight: 1, candidates: 3 } }))].sort(), [
      'east',
      'east2',
      'east3',
    ]);
  });

  it('goes with ids, recommendations and filters, and shows values only where they are requested', async () => {
    const diversity = { weight: 0.5, candidates: 6 };
    assert.equal((await idsBy({ topK: 2, id: 'east', diversity }))[0], 'east');
    const found = await idsBy({
      topK: 2,
      recommend: { positive: ['east'] },
      diversity,
      filter: { kind: 'near' },
    });
    assert.deepEqual([...found].sort(), ['east2', 'east3']);
    const body = { topK: 1, id: 'up', diversity };
    const short = await index.call('query_vectors', { body });
    assert.match(short.text, /"values":\[\]/);
    const whole = await index.call('query_vectors', { body: { ...body, includeValues: true } });
    assert.match(whole.text, /"values":\[0.2,0,1\]/);
  });

  it('refuses what is no diversity, or too much work', async () => {
    for (const [diversity, message] of [
      [{}, /diversity.weight must be a number from 0 to 1/],
      [{ weight: 1.1 }, /diversity.weight must be a number from 0 to 1/],
      [{ weight: 0.5, candidates: 2 }, /diversity.candidates/],
      [{ weight: 0.5, candidates: 1_001 }, /diversity.candidates/],
      [{ weight: 0.5, lambda: 1 }, /lambda/],
      [7, /diversity/],
    ] as const) {
      const body = { topK: 3, id: 'east', diversity };
      await assertRefused(index.call('query_vectors', { body }), message);
    }
    const large = makeTestIndex({ metric: 'cosine', dimension: 2_000 });
    const body = { topK: 500, id: 'east', diversity: { weight: 0.5, candidates: 500 } };
    await assertRefused(large.call('query_vectors', { body }), /must be at most 100000000, got 500000000/);
  });
});
