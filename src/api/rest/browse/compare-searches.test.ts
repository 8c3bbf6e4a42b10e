// Searches by several configurations beside the exact results, over the reference model.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { makeTestIndex, store, type TestIndex } from '../testing/data-client.ts';

const params = { namespace: '__default__' };
const RECORDS = Array.from({ length: 12 }, (_, i) => ({
  id: `r${i}`,
  values: [1, i / 12, 0],
  metadata: { even: i % 2 === 0 },
}));

interface Comparison {
  readonly configurations: readonly { readonly recall: number; readonly lowest_recall: number }[];
  readonly queries: readonly {
    readonly exact: { readonly matches: readonly { readonly id: string }[] };
    readonly results: readonly { readonly recall: number; readonly matches: readonly object[] }[];
  }[];
}

let index: TestIndex;
beforeEach(async () => {
  index = makeTestIndex({ metric: 'cosine' });
  await store(index.call, RECORDS);
});

async function refusal(body: object) {
  const { status, json } = await index.call('compare_searches', { params, body });
  return [status, (json as { readonly error: { readonly message: string } }).error.message];
}

describe('POST /records/namespaces/{namespace}/compare', () => {
  it('compares each configuration with the exact results, by ids and vectors', async () => {
    const body = {
      queries: [{ id: 'r3' }, { vector: [1, 0, 0] }],
      configurations: [{}, { recall: 0.9 }, { effort: 0.25 }],
      top_k: 3,
      filter: { even: true },
    };
    const reply = await index.call('compare_searches', { params, body });
    assert.equal(reply.status, 200, reply.text);
    const { configurations, queries } = reply.json as Comparison;
    assert.deepEqual(
      configurations.map(({ recall, lowest_recall: lowest }) => [recall, lowest]),
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
    );
    assert.deepEqual(
      queries.map(({ exact }) => exact.matches.map(({ id }) => id)),
      [
        ['r4', 'r2', 'r6'],
        ['r0', 'r2', 'r4'],
      ],
    );
    for (const { results } of queries) assert.equal(results.length, 3);
  });

  it('measures nothing in a namespace that does not exist', async () => {
    const body = { queries: [{ vector: [1, 0, 0] }], configurations: [{}] };
    const { status } = await index.call('compare_searches', { params: { namespace: 'none' }, body });
    assert.equal(status, 404);
  });

  it('refuses what is no comparison', async () => {
    const query = { queries: [{ id: 'r1' }] };
    for (const [body, message] of [
      [{ ...query }, 'configurations must be a list of 1 to 4 objects'],
      [{ configurations: [{}] }, 'queries must be a list of 1 to 10 objects'],
      [{ ...query, configurations: [{ effort: 9 }] }, 'effort must be a number from 0.1 to 4'],
      [{ ...query, configurations: [{ effort: 1, recall: 0.9 }] }, 'Give either effort or recall, not both'],
      [{ queries: [{}], configurations: [{}] }, 'A query has either an id or a vector'],
      [
        { ...query, configurations: [{ ef: 1 }] },
        "A configuration has an unknown key 'ef'; it takes recall, effort",
      ],
    ] as const)
      assert.deepEqual(await refusal(body), [400, message]);
    assert.deepEqual(await refusal({ queries: [{ id: 'x' }], configurations: [{}] }), [
      404,
      'Record x not found',
    ]);
  });
});
