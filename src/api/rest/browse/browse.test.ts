// Pages of records by filter and order with value counts, and the neighbors of a record, over the reference model.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { makeTestIndex, store, type TestIndex } from '../testing/data-client.ts';

interface Page {
  readonly records: readonly { readonly id: string; readonly fields: Readonly<Record<string, unknown>> }[];
  readonly total?: number;
  readonly indexed_fields: readonly string[];
  readonly facets?: unknown;
  readonly pagination?: { readonly next: string };
}

interface Neighbors {
  readonly record: object;
  readonly neighbors: readonly { readonly id: string; readonly score: number }[];
}

const RECORDS = [
  { id: 'a', values: [1, 0, 0], metadata: { genre: 'drama', year: 2020 } },
  { id: 'b b', values: [0.9, 0.1, 0], metadata: { genre: 'drama', year: 2018 } },
  { id: 'c', values: [0, 1, 0], metadata: { genre: 'comedy', year: 2020 } },
  { id: 'd', values: [0, 0, 1], metadata: { genre: 'noir' } },
];
const params = { namespace: '__default__' };

let index: TestIndex;

async function browse(body: object): Promise<Page> {
  const reply = await index.call('browse_records', { params, body });
  assert.equal(reply.status, 200, reply.text);
  return reply.json as Page;
}

async function refusal(endpoint: string, body: object) {
  const { status, json } = await index.call(endpoint, { params, body });
  return [status, (json as { readonly error: { readonly message: string } }).error.message];
}

beforeEach(async () => {
  index = makeTestIndex({ metric: 'cosine' });
  await store(index.call, RECORDS);
});

describe('POST /records/namespaces/{namespace}/browse', () => {
  it('counts what matches for the first page alone, and repeats it on the others', async ({ mock }) => {
    const count = mock.method(index.store, 'count');
    const filter = { genre: { $ne: 'comedy' } };
    const order_by = { field: 'year', direction: 'desc' };
    for (const body of [{ filter }, { filter, order_by }]) {
      const first = await browse({ ...body, limit: 1 });
      const second = await browse({ ...body, limit: 1, pagination_token: first.pagination?.next });
      assert.deepEqual([first.total, second.total], [3, 3]);
      assert.notDeepEqual(first.records, second.records);
    }
    assert.equal(count.mock.callCount(), 2);
  });

  it('shows records in id order with their number, fields and value counts', async () => {
    const page = await browse({ facets: [{ field: 'genre', limit: 2 }], limit: 2 });
    assert.deepEqual(page.records, [
      { id: 'a', fields: { genre: 'drama', year: 2020 } },
      { id: 'b b', fields: { genre: 'drama', year: 2018 } },
    ]);
    assert.deepEqual([page.total, page.indexed_fields], [4, ['genre', 'year']]);
    const values = [
      { value: 'drama', count: 2 },
      { value: 'comedy', count: 1 },
    ];
    assert.deepEqual(page.facets, [{ field: 'genre', values, distinct: 3, exact: true }]);
    const rest = await browse({ limit: 2, pagination_token: page.pagination?.next });
    assert.deepEqual(
      rest.records.map(({ id }) => id),
      ['c', 'd'],
    );
    assert.equal(rest.pagination, undefined);
  });

  it('counts what its pages show where records expire, with and without filter', async () => {
    index = makeTestIndex({ timeToLive: { field: 'until', seconds: null, namespaces: {} } });
    const expired = { id: 'old', values: [1, 0, 0], metadata: { genre: 'drama', until: 1 } };
    await store(index.call, [...RECORDS, expired]);
    for (const [body, total] of [
      [{}, 4],
      [{ filter: { genre: 'drama' } }, 2],
    ] as const) {
      const page = await browse(body);
      assert.deepEqual([page.total, page.records.length], [total, total]);
    }
  });

  it('shows every record in exactly one of adjacent ranges of ids, page by page', async () => {
    const ids = RECORDS.map(({ id }) => id);
    for (const filter of [undefined, { genre: { $ne: 'comedy' } }]) {
      const expected = RECORDS.filter(({ metadata }) => filter === undefined || metadata.genre !== 'comedy');
      for (const limit of [1, 2, 10]) {
        for (const bound of [...ids, '0', 'bb', 'z']) {
          const found: string[] = [];
          for (const range of [{ until: bound }, { after: bound }]) {
            let token: string | undefined;
            do {
              const page = await browse({ filter, ids: range, limit, pagination_token: token });
              assert.equal(page.total, undefined);
              found.push(...page.records.map(({ id }) => id));
              token = page.pagination?.next;
            } while (token !== undefined);
            if ('until' in range) assert.ok(found.every((id) => id <= bound));
          }
          assert.deepEqual(
            found,
            expected.map(({ id }) => id),
          );
        }
      }
    }
    const between = await browse({ ids: { after: 'a', until: 'c' } });
    assert.deepEqual(
      between.records.map(({ id }) => id),
      ['b b', 'c'],
    );
  });

  it('orders by a number page by page, without records that have none', async () => {
    for (const [direction, expected] of [
      ['desc', ['a', 'c', 'b b']],
      ['asc', ['b b', 'a', 'c']],
    ] as const) {
      const ids: string[] = [];
      let token: string | undefined;
      do {
        const page = await browse({
          order_by: { field: 'year', direction },
          limit: 1,
          pagination_token: token,
        });
        ids.push(...page.records.map(({ id }) => id));
        token = page.pagination?.next;
      } while (token !== undefined);
      assert.deepEqual(ids, expected);
    }
  });

  it('selects by a filter or by the beginning of ids', async () => {
    const drama = await browse({ filter: { genre: 'drama' } });
    assert.deepEqual([drama.records.length, drama.total], [2, 2]);
    const prefixed = await browse({ prefix: 'b' });
    assert.deepEqual(
      prefixed.records.map(({ id }) => id),
      ['b b'],
    );
    assert.equal(prefixed.total, undefined);
  });

  it('shows a namespace that does not exist as empty', async () => {
    const reply = await index.call('browse_records', { params: { namespace: 'none' } });
    assert.deepEqual(reply.json, { records: [], total: 0, indexed_fields: [], namespace: 'none' });
  });

  it('ends a page early where its records are large, and loses none', async () => {
    const text = 'x'.repeat(40_000);
    const large = Array.from({ length: 60 }, (_, i) => ({
      id: `r${i}`,
      values: [1, 0, 0],
      metadata: { text },
    }));
    for (let at = 0; at < large.length; at += 20) await store(index.call, large.slice(at, at + 20), 'large');
    for (const body of [{}, { prefix: 'r' }]) {
      const ids: string[] = [];
      let token: string | undefined;
      do {
        const reply = await index.call('browse_records', {
          params: { namespace: 'large' },
          body: { ...body, pagination_token: token },
        });
        assert.ok(reply.text.length < 1.2 * 2 ** 20);
        const page = reply.json as Page;
        ids.push(...page.records.map(({ id }) => id));
        token = page.pagination?.next;
      } while (token !== undefined);
      assert.deepEqual(ids, large.map(({ id }) => id).sort());
    }
  });

  it('continues after ids of the longest form, whatever the order', async () => {
    const records = ['x', 'y'].map((letter) => ({
      id: `${letter} ${'i'.repeat(510)}`,
      values: [1, 0, 0],
      metadata: { n: -1.7976931348623157e308 },
    }));
    await store(index.call, records, 'long');
    const request = { order_by: { field: 'n' }, limit: 1 };
    const ask = (body: object) => index.call('browse_records', { params: { namespace: 'long' }, body });
    const { pagination } = (await ask(request)).json as Page;
    const { records: rest } = (await ask({ ...request, pagination_token: pagination?.next })).json as Page;
    assert.deepEqual(
      rest.map(({ id }) => id),
      [records[1]?.id],
    );
  });

  it('refuses what it does not know, and tokens of another listing', async () => {
    const { pagination } = await browse({ limit: 1 });
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ order_by: { field: 'year', direction: 'up' } }, /direction must be asc or desc/],
      [{ ids: { after: 'b', until: 'b' } }, /ids.until must come after ids.after/],
      [{ ids: { from: 'b' } }, /from/],
      [{ ids: { after: '' } }, /id/i],
      [{ ids: { after: 'a' }, order_by: { field: 'year' } }, /ids goes without/],
      [{ ids: { after: 'a' }, prefix: 'a' }, /ids goes without/],
      [{ order_by: {} }, /order_by.field must be the name of a field/],
      [{ prefix: 'a', filter: { genre: 'drama' } }, /prefix goes without/],
      [{ limit: 1_001 }, /limit must be an integer from 1 to 1000/],
      [{ filter: { $match_all: 'x' } }, /illegal condition/],
      [{ sort: 'year' }, /unknown key 'sort'/],
      [{ filter: { genre: 'drama' }, pagination_token: pagination?.next }, /not a token of this listing/],
    ];
    for (const [body, message] of wrong) {
      const [status, text] = await refusal('browse_records', body);
      assert.equal(status, 400);
      assert.match(String(text), message);
    }
  });
});

describe('POST /records/namespaces/{namespace}/neighbors', () => {
  const find = async (body: object) => {
    const reply = await index.call('find_neighbors', { params, body });
    assert.equal(reply.status, 200, reply.text);
    return reply.json as Neighbors;
  };

  it('returns the whole record and its neighbors without itself, whatever its id', async () => {
    const { record, neighbors } = await find({ id: 'b b', limit: 2 });
    assert.deepEqual(record, { id: 'b b', values: [0.9, 0.1, 0], fields: { genre: 'drama', year: 2018 } });
    assert.deepEqual(
      neighbors.map(({ id }) => id),
      ['a', 'c'],
    );
    assert.ok((neighbors[0]?.score ?? 0) > 0.9);
  });

  it('finds neighbors that match a filter, and none where none are requested', async () => {
    const { neighbors } = await find({ id: 'a', filter: { genre: 'noir' } });
    assert.deepEqual(
      neighbors.map(({ id }) => id),
      ['d'],
    );
    assert.deepEqual((await find({ id: 'a', limit: 0 })).neighbors, []);
  });

  it('finds neighbors by sparse vectors', async () => {
    index = makeTestIndex({ vectorType: 'sparse', metric: 'dotproduct' });
    const sparse = (id: string, indices: readonly number[]) => ({
      id,
      sparseValues: { indices, values: indices.map(() => 1) },
    });
    await store(index.call, [sparse('x', [1, 2]), sparse('y', [2, 3]), sparse('z', [4])]);
    const { neighbors } = await find({ id: 'x' });
    assert.deepEqual(neighbors, [{ id: 'y', score: 1, fields: {} }]);
  });

  it('answers 404 for an unknown record', async () => {
    assert.deepEqual(await refusal('find_neighbors', { id: 'zz' }), [404, 'Record zz not found']);
  });
});

describe('browsing documents', () => {
  it('shows their fields, selects by words and finds neighbors', async () => {
    const documents: DocumentSchema = {
      fields: {
        title: {
          ...{ kind: 'string', description: null, storeText: true, embed: null, sparseEmbed: null },
          fullText: { language: 'en', stemming: false, stopWords: false, ngram: null },
        },
        dense: { kind: 'dense', dimension: 2, metric: 'dotproduct', description: null },
      },
    };
    index = makeTestIndex({ documents, dimension: 2, metric: 'dotproduct' });
    const body = {
      documents: [
        { _id: 'pie', title: 'apple pie', dense: [1, 0], kind: 'sweet' },
        { _id: 'tart', title: 'pear tart', dense: [1, 0.1], kind: 'sweet' },
      ],
    };
    const written = await index.call('upsert_documents', { params, body });
    assert.equal(written.status, 202, written.text);
    const page = await browse({
      filter: { title: { $match_any: 'pie' } },
      facets: [{ field: 'kind', limit: 1 }],
    });
    assert.deepEqual(page.records, [{ id: 'pie', fields: { title: 'apple pie', kind: 'sweet' } }]);
    assert.match(JSON.stringify(page.facets), /"value":"sweet","count":1/);
    const [status, message] = await refusal('browse_records', { facets: [{ field: 'title' }] });
    assert.equal(status, 400);
    assert.match(String(message), /holds texts or vectors/);
    const { json } = await index.call('find_neighbors', { params, body: { id: 'pie' } });
    assert.deepEqual(
      (json as Neighbors).neighbors.map(({ id }) => id),
      ['tart'],
    );
  });
});
