// Fetch, fetch by metadata, list and stats: exact answers and refusals.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, makeTestIndex, store } from '../testing/data-client.ts';

interface Page {
  readonly vectors: Readonly<Record<string, unknown>> & readonly { readonly id: string }[];
  readonly pagination?: { readonly next: string };
}

describe('GET /vectors/fetch', () => {
  it('returns whole records with short floats and null for absent metadata, without unknown ids', async () => {
    const { call } = makeTestIndex({ metric: 'dotproduct' });
    const a = {
      id: 'a',
      values: [0.1, -2, 3e-7],
      sparseValues: { indices: [9, 2], values: [0.2, 5] },
      metadata: { k: ['é'] },
    };
    await store(call, [a, { id: 'b', values: [1, 2, 3] }], 'n');
    const reply = await call('fetch_vectors', { query: { ids: ['b', 'a', 'zz', 'b'], namespace: 'n' } });
    const expected =
      '{"vectors":{"b":{"id":"b","values":[1,2,3],"metadata":null},' +
      '"a":{"id":"a","values":[0.1,-2,3e-7],"sparseValues":{"indices":[2,9],"values":[5,0.2]},"metadata":{"k":["é"]}}},' +
      '"namespace":"n","usage":{"readUnits":1}}';
    assert.deepEqual([reply.status, reply.text], [200, expected]);
  });

  it('returns empty values for sparse records', async () => {
    const { call } = makeTestIndex({ vectorType: 'sparse', metric: 'dotproduct' });
    await store(call, [{ id: 'a', sparseValues: { indices: [1], values: [0.5] } }]);
    const reply = await call('fetch_vectors', { query: { ids: 'a' } });
    const record = '{"id":"a","values":[],"sparseValues":{"indices":[1],"values":[0.5]},"metadata":null}';
    assert.equal(reply.text, `{"vectors":{"a":${record}},"namespace":"","usage":{"readUnits":1}}`);
  });

  it('returns only metadata when values are not requested', async () => {
    const { call } = makeTestIndex({ metric: 'dotproduct' });
    const sparseValues = { indices: [1], values: [0.5] };
    await store(call, [{ id: 'a', values: [1, 2, 3], sparseValues, metadata: { k: 1 } }]);
    const reply = await call('fetch_vectors', { query: { ids: 'a', without_values: 'true' } });
    const record = '{"id":"a","values":[],"metadata":{"k":1}}';
    assert.equal(reply.text, `{"vectors":{"a":${record}},"namespace":"","usage":{"readUnits":1}}`);
    const whole = await call('fetch_vectors', { query: { ids: 'a', without_values: 'false' } });
    assert.match(whole.text, /"values":\[1,2,3\],"sparseValues"/);
    const wrong = call('fetch_vectors', { query: { ids: 'a', without_values: 'yes' } });
    await assertRefused(wrong, 'withoutValues must be true or false');
  });

  it('echoes the namespace as given, even if it does not exist', async () => {
    const { call } = makeTestIndex();
    for (const namespace of ['__default__', '', 'none']) {
      const reply = await call('fetch_vectors', { query: { ids: 'a', namespace } });
      assert.equal(reply.text, `{"vectors":{},"namespace":"${namespace}","usage":{"readUnits":1}}`);
    }
  });

  it('counts one read unit for each 10 records', async () => {
    const { call } = makeTestIndex();
    const records = Array.from({ length: 21 }, (_, i) => ({ id: `r${i}`, values: [1, 2, 3] }));
    await store(call, records);
    const reply = await call('fetch_vectors', { query: { ids: records.map(({ id }) => id) } });
    assert.match(reply.text, /"usage":\{"readUnits":3\}\}$/);
  });

  it('accepts ids up to the limit, without spaces', async () => {
    const { call } = makeTestIndex();
    const many = Array.from({ length: 1001 }, String);
    assert.equal((await call('fetch_vectors', { query: { ids: many.slice(1) } })).status, 200);
    await assertRefused(call('fetch_vectors', { query: {} }), 'ids must hold 1 to 1000 ids, got 0');
    await assertRefused(
      call('fetch_vectors', { query: { ids: many } }),
      'ids must hold 1 to 1000 ids, got 1001',
    );
    await assertRefused(
      call('fetch_vectors', { query: { ids: 'a b' } }),
      'The ids of a fetch must not contain spaces',
    );
    await assertRefused(
      call('fetch_vectors', { query: { ids: 'é f', allow_spaces: 'true' } }),
      'Vector ID must be ASCII without NUL characters',
    );
    await store(call, [{ id: 'a b', values: [1, 2, 3] }]);
    const spaced = await call('fetch_vectors', { query: { ids: 'a b', allow_spaces: 'true' } });
    assert.deepEqual(Object.keys((spaced.json as Page).vectors), ['a b']);
    await assertRefused(call('fetch_vectors', { query: { ids: ['a', ''] } }), /^Vector ID must be 1 to 512/);
    const twice = call('fetch_vectors', { query: { ids: 'a', namespace: ['a', 'b'] } });
    await assertRefused(twice, 'namespace must be given once');
  });
});

describe('POST /vectors/fetch_by_metadata', () => {
  it('goes on with the same filter in another order, which clients of gRPC send it in', async () => {
    const { call } = makeTestIndex();
    await store(call, [
      { id: 'a', values: [1, 2, 3], metadata: { g: 1 } },
      { id: 'b', values: [1, 2, 3], metadata: { g: 1 } },
    ]);
    const filter = { g: { $gte: 1, $lt: 2 }, $or: [{ g: 1, x: { $exists: false } }] };
    const same = { $or: [{ x: { $exists: false }, g: 1 }], g: { $lt: 2, $gte: 1 } };
    const first = await call('fetch_vectors_by_metadata', { body: { filter, limit: 1 } });
    const paginationToken = (first.json as Page).pagination?.next;
    const second = await call('fetch_vectors_by_metadata', { body: { filter: same, paginationToken } });
    assert.deepEqual(Object.keys((second.json as Page).vectors), ['b']);
  });

  it('returns matching records page by page', async () => {
    const { call } = makeTestIndex();
    const records = ['c', 'a', 'b', 'd'].map((id) => ({
      id,
      values: [1, 2, 3],
      metadata: { g: id === 'd' ? 2 : 1 },
    }));
    await store(call, records, 'n');
    const body = { filter: { g: 1 }, namespace: 'n', limit: 2 };
    const first = await call('fetch_vectors_by_metadata', { body });
    const page = first.json as Page;
    assert.deepEqual(Object.keys(page.vectors), ['a', 'b']);
    const paginationToken = page.pagination?.next;
    const second = await call('fetch_vectors_by_metadata', { body: { ...body, paginationToken } });
    const record = '{"id":"c","values":[1,2,3],"metadata":{"g":1}}';
    assert.equal(second.text, `{"vectors":{"c":${record}},"namespace":"n","usage":{"readUnits":1}}`);
    const foreign = { ...body, filter: { g: 2 }, pagination_token: paginationToken };
    const refused = call('fetch_vectors_by_metadata', { body: foreign });
    await assertRefused(refused, 'paginationToken is not a token of this listing');
  });

  it('keeps pages under the size limit and loses no record', async () => {
    const { call } = makeTestIndex({ dimension: 20_000 });
    const values = Array.from({ length: 20_000 }, (_, i) => Math.fround(Math.sin(i)));
    for (let i = 0; i < 30; i++) await store(call, [{ id: `r${i}`, values, metadata: { g: 1 } }]);
    const seen: string[] = [];
    let paginationToken: string | undefined;
    let pages = 0;
    do {
      const reply = await call('fetch_vectors_by_metadata', { body: { filter: { g: 1 }, paginationToken } });
      assert.ok(reply.text.length <= 4 * 1024 * 1024);
      const page = reply.json as Page;
      seen.push(...Object.keys(page.vectors));
      paginationToken = page.pagination?.next;
      pages++;
    } while (paginationToken !== undefined);
    assert.equal(new Set(seen).size, 30);
    assert.equal(seen.length, 30);
    assert.ok(pages > 1 && pages < 5);
  });

  it('requires a filter with a condition and a limit in range', async () => {
    const { call } = makeTestIndex();
    await assertRefused(call('fetch_vectors_by_metadata', { body: {} }), 'filter is required');
    await assertRefused(
      call('fetch_vectors_by_metadata', { body: { filter: {} } }),
      'filter must not be empty',
    );
    for (const limit of [0, 10_001, 1.5, '10', true]) {
      const reply = call('fetch_vectors_by_metadata', { body: { filter: { a: 1 }, limit } });
      await assertRefused(reply, 'limit must be an integer from 1 to 10000');
    }
    const reply = call('fetch_vectors_by_metadata', { body: { filter: { a: 1 }, paginationToken: 5 } });
    await assertRefused(reply, 'paginationToken must be a string');
  });
});

describe('GET /vectors/list', () => {
  it('returns ids by prefix in bytewise order, page by page', async () => {
    const { call } = makeTestIndex();
    await store(
      call,
      ['doc#2', 'doc#1', 'doc#10', 'Z', 'x'].map((id) => ({ id, values: [1, 2, 3] })),
    );
    const query = { prefix: 'doc#', limit: '2' };
    const first = await call('list_vectors', { query });
    const next = (first.json as Page).pagination?.next ?? '';
    assert.equal(
      first.text,
      `{"vectors":[{"id":"doc#1"},{"id":"doc#10"}],"namespace":"","usage":{"readUnits":1},"pagination":{"next":"${next}"}}`,
    );
    const second = await call('list_vectors', { query: { ...query, paginationToken: next } });
    assert.equal(second.text, '{"vectors":[{"id":"doc#2"}],"namespace":"","usage":{"readUnits":1}}');
    const all = await call('list_vectors', { query: { prefix: '' } });
    assert.deepEqual(
      (all.json as Page).vectors.map(({ id }) => id),
      ['Z', 'doc#1', 'doc#10', 'doc#2', 'x'],
    );
    for (const foreign of [
      { paginationToken: next },
      { ...query, paginationToken: `${next}A` },
      { ...query, namespace: 'n', paginationToken: next },
    ]) {
      await assertRefused(
        call('list_vectors', { query: foreign }),
        'paginationToken is not a token of this listing',
      );
    }
  });

  it('refuses limits out of range', async () => {
    const { call } = makeTestIndex();
    for (const limit of ['0', '101', '-1', '1.5', 'ten', '', ['1', '2']]) {
      await assertRefused(call('list_vectors', { query: { limit } }), /^limit must be /);
    }
    await assertRefused(call('list_vectors', { query: { prefix: 'é' } }), /^prefix must be ASCII/);
  });
});

describe('/describe_index_stats', () => {
  it('counts by namespace, naming the default one as the version does', async () => {
    const { call } = makeTestIndex();
    await store(call, [
      { id: 'a', values: [1, 2, 3] },
      { id: 'b', values: [1, 2, 3] },
    ]);
    await store(call, [{ id: 'a', values: [1, 2, 3] }], 'n');
    const tail =
      '"dimension":3,"indexFullness":0,"totalVectorCount":3,"metric":"cosine","vectorType":"dense"}';
    const expected = `{"namespaces":{"__default__":{"vectorCount":2},"n":{"vectorCount":1}},${tail}`;
    for (const body of [undefined, {}, { filter: null }, { filter: {} }]) {
      assert.equal((await call('describe_index_stats', { body })).text, expected);
    }
    assert.equal((await call('get_index_stats', { version: '2025-04' })).text, expected);
    const older = await call('get_index_stats', { version: '2025-01' });
    assert.equal(older.text, expected.replace('__default__', ''));
    const oldest = await call('get_index_stats', { version: '2024-07' });
    assert.deepEqual(Object.keys(oldest.json as object), [
      'namespaces',
      'dimension',
      'indexFullness',
      'totalVectorCount',
    ]);
  });

  it('counts more namespaces than fit on one page of the store, or them all together', async () => {
    const { call, store: index } = makeTestIndex();
    for (let i = 0; i < 1_500; i++) await index.createNamespace(`n${i}`, null);
    await store(call, [{ id: 'a', values: [1, 2, 3] }], 'n7');
    const total = await call('get_index_stats', { query: { without_namespaces: 'true' } });
    assert.match(total.text, /^\{"namespaces":\{\},"dimension":3,"indexFullness":0,"totalVectorCount":1,/);
    await assertRefused(
      call('get_index_stats', { query: { without_namespaces: '1' } }),
      'withoutNamespaces must be true or false',
    );
    const { namespaces } = (await call('get_index_stats')).json as { readonly namespaces: object };
    assert.equal(Object.keys(namespaces).length, 1_500);
  });

  it('leaves out the dimension of sparse indexes, and shows fullness for dedicated ones', async () => {
    const sparse = makeTestIndex({ vectorType: 'sparse', metric: 'dotproduct' });
    const details = '"totalVectorCount":0,"metric":"dotproduct","vectorType":"sparse"';
    assert.equal(
      (await sparse.call('get_index_stats')).text,
      `{"namespaces":{},"indexFullness":0,${details}}`,
    );
    const { call } = makeTestIndex({ dedicated: true, readable: false });
    assert.match(
      (await call('get_index_stats')).text,
      /"memoryFullness":0,"storageFullness":0,"memory_fullness":0/,
    );
  });

  it('shows no metric and no kind of vectors for documents without dense vectors', async () => {
    const documents = { fields: { sparse: { kind: 'sparse', description: null } } } as const;
    const shape = { documents, vectorType: 'sparse', metric: 'dotproduct' } as const;
    assert.equal(
      (await makeTestIndex(shape).call('get_index_stats')).text,
      '{"namespaces":{},"indexFullness":0,"totalVectorCount":0}',
    );
  });

  it('accepts a filter only on pod-based indexes', async () => {
    const pod = makeTestIndex({ kind: 'pod' });
    await store(pod.call, [
      { id: 'a', values: [1, 2, 3], metadata: { g: 1 } },
      { id: 'b', values: [1, 2, 3] },
    ]);
    const counted = await pod.call('describe_index_stats', { body: { filter: { g: 1 } } });
    assert.match(counted.text, /^\{"namespaces":\{"__default__":\{"vectorCount":1\}\}.*"totalVectorCount":1/);
    const serverless = makeTestIndex().call('describe_index_stats', { body: { filter: { g: 1 } } });
    await assertRefused(
      serverless,
      'Serverless indexes do not support describing index stats with metadata filtering',
    );
  });
});
