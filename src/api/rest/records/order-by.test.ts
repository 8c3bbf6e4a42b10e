// Answers in the order of a field: of vectors and documents, page by page, and what is refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { assertRefused, makeTestIndex, store } from '../testing/data-client.ts';

const YEARS = [
  ['a', 2001],
  ['b', 1979],
  ['c', undefined],
  ['d', 2001],
  ['10', 1990],
  ['2', 'x'],
] as const;
const RECORDS = YEARS.map(([id, year], at) => ({
  id,
  values: [1, at, 0],
  metadata: { kind: 'film', ...(year !== undefined && { year }) },
}));
const SCHEMA: DocumentSchema = {
  fields: { v: { kind: 'dense', dimension: 3, metric: 'cosine', description: null } },
};
const DESCENDING = ['a', 'd', '10', 'b', '2', 'c'];
const EXISTS = { kind: { $exists: true } };

describe('orderBy of vectors', () => {
  it('orders matches after ranking, with and without their metadata', async () => {
    const { call } = makeTestIndex({ metric: 'euclidean' });
    await store(call, RECORDS);
    for (const includeMetadata of [true, false]) {
      const body = { vector: [1, 0, 0], topK: 5, includeMetadata, orderBy: { field: 'year' } };
      const { json } = await call('query_vectors', { body });
      const { matches } = json as {
        readonly matches: readonly { readonly id: string; readonly metadata?: object }[];
      };
      assert.deepEqual(
        matches.map(({ id }) => id),
        ['b', '10', 'a', 'd', 'c'],
      );
      assert.deepEqual(
        matches.some(({ metadata }) => metadata !== undefined),
        includeMetadata,
      );
    }
  });

  it('pages through the records of a filter, and lists their ids in the order', async () => {
    const { call } = makeTestIndex({ metric: 'euclidean' });
    await store(call, RECORDS);
    for (const limit of [1, 2, 3, 6]) {
      const ids: string[] = [];
      let paginationToken: string | undefined;
      do {
        const body = {
          filter: EXISTS,
          limit,
          orderBy: { field: 'year', direction: 'desc' },
          paginationToken,
        };
        const { json, text } = await call('fetch_vectors_by_metadata', { body });
        const page = json as {
          readonly vectors: object;
          readonly orderedIds: readonly string[];
          readonly pagination?: { readonly next: string };
        };
        assert.deepEqual(new Set(Object.keys(page.vectors)), new Set(page.orderedIds), text);
        ids.push(...page.orderedIds);
        paginationToken = page.pagination?.next;
      } while (paginationToken !== undefined);
      assert.deepEqual(ids, DESCENDING);
    }
  });

  it('pages once through records whose numbers cannot be filtered', async () => {
    const { call } = makeTestIndex({ filterableFields: ['kind'] });
    await store(call, RECORDS);
    const ids: string[] = [];
    let paginationToken: string | undefined;
    do {
      const body = { filter: { kind: 'film' }, limit: 2, orderBy: { field: 'year' }, paginationToken };
      const { json } = await call('fetch_vectors_by_metadata', { body });
      const page = json as {
        readonly orderedIds: readonly string[];
        readonly pagination?: { readonly next: string };
      };
      ids.push(...page.orderedIds);
      assert.ok(ids.length <= RECORDS.length, ids.join(' '));
      paginationToken = page.pagination?.next;
    } while (paginationToken !== undefined);
    assert.deepEqual(ids, ['10', '2', 'a', 'b', 'c', 'd']);
  });

  it('refuses other orders, groups beside it, and tokens of another order', async () => {
    const { call } = makeTestIndex({ metric: 'euclidean' });
    await store(call, RECORDS);
    for (const orderBy of [
      7,
      {},
      { field: '' },
      { field: 'year', direction: 'up' },
      { field: 'year', nulls: 1 },
    ]) {
      await assertRefused(
        call('query_vectors', { body: { vector: [1, 0, 0], topK: 5, orderBy } }),
        /orderBy/,
      );
      await assertRefused(
        call('fetch_vectors_by_metadata', { body: { filter: EXISTS, orderBy } }),
        /orderBy/,
      );
    }
    const groupBy = { field: 'kind' };
    const grouped = { vector: [1, 0, 0], topK: 5, groupBy, orderBy: { field: 'year' } };
    await assertRefused(call('query_vectors', { body: grouped }), /orderBy goes without groupBy/);
    const first = await call('fetch_vectors_by_metadata', {
      body: { filter: EXISTS, limit: 1, orderBy: { field: 'year' } },
    });
    const { next } = (first.json as { readonly pagination: { readonly next: string } }).pagination;
    const other = { filter: EXISTS, limit: 1, orderBy: { field: 'kind' }, paginationToken: next };
    await assertRefused(call('fetch_vectors_by_metadata', { body: other }), /token of this listing/);
  });
});

describe('order_by of documents', () => {
  it('orders matches after ranking, and pages of a filter', async () => {
    const { call } = makeTestIndex({ documents: SCHEMA });
    const params = { namespace: '__default__' };
    const documents = RECORDS.map(({ id, values, metadata }) => ({ _id: id, v: values, ...metadata }));
    const upserted = await call('upsert_documents', { params, body: { documents } });
    assert.ok(upserted.status < 300, upserted.text);
    const order_by = { field: 'year', direction: 'desc' };
    const score_by = [{ type: 'dense_vector', field: 'v', values: [1, 0, 0] }];
    const search = { score_by, top_k: 6, order_by };
    const found = await call('search_documents', { params, body: search });
    const { matches } = found.json as { readonly matches: readonly { readonly _id: string }[] };
    // The last two have no number, and stay in the order of rank.
    assert.deepEqual(
      matches.map(({ _id }) => _id),
      ['a', 'd', '10', 'b', 'c', '2'],
    );
    const page = await call('fetch_documents', { params, body: { filter: EXISTS, limit: 4, order_by } });
    const { ordered_ids: ids, pagination } = page.json as {
      readonly ordered_ids: readonly string[];
      readonly pagination: { readonly next: string };
    };
    assert.deepEqual(ids, DESCENDING.slice(0, 4));
    const rest = await call('fetch_documents', {
      params,
      body: { filter: EXISTS, limit: 4, order_by, pagination_token: pagination.next },
    });
    assert.deepEqual(
      (rest.json as { readonly ordered_ids: readonly string[] }).ordered_ids,
      DESCENDING.slice(4),
    );
    for (const [endpoint, body, reason] of [
      ['search_documents', { ...search, group_by: { field: 'kind' } }, /order_by goes without/],
      ['search_documents', { ...search, order_by: { field: 'v' } }, /holds texts or vectors/],
      ['fetch_documents', { ids: ['a'], order_by }, /order_by is for fetches by filter/],
    ] as const) {
      const refused = await call(endpoint, { params, body });
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, reason);
    }
  });
});
