// Upsert, update and delete: exact answers and refusals; a refused request stores nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, dataError, makeTestIndex, store } from '../testing/data-client.ts';

const A = { id: 'a', values: [1, 2, 3], metadata: { genre: 'drama', year: 2020 } };
const B = { id: 'b', values: [3, 2, 1] };
const NOT_FOUND = dataError({ status: 404, name: 'NOT_FOUND', code: 5 }, 'Namespace not found');

describe('POST /vectors/upsert', () => {
  it('stores records and counts those of the request, duplicates included', async () => {
    const { call, store: index } = makeTestIndex();
    const reply = await call('upsert_vectors', { body: { vectors: [A, B, { ...A, values: [9, 9, 9] }] } });
    assert.deepEqual([reply.status, reply.text], [200, '{"upsertedCount":3}']);
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8');
    assert.deepEqual((await index.fetch('', ['a']))[0]?.values, Float32Array.of(9, 9, 9));
  });

  it('accepts null for absent and snake_case names, and ignores unknown keys', async () => {
    const { call, store: index } = makeTestIndex({ metric: 'dotproduct' });
    const vector = { ...B, metadata: null, sparse_values: { indices: [4], values: [1] }, color: 'red' };
    const body = { vectors: [vector, { ...A, sparseValues: null }], namespace: null, mode: 1 };
    assert.equal((await call('upsert_vectors', { body })).status, 200);
    assert.deepEqual((await index.fetch('', ['b']))[0]?.sparse?.indices, Uint32Array.of(4));
  });

  it('treats long vectors, which have a parser of their own, like short ones', async () => {
    const { call, store: index } = makeTestIndex({ dimension: 20 });
    const values = Array.from({ length: 20 }, (_, i) => (i - 7) * 0.1);
    const upsert = (...lists: unknown[]) =>
      call('upsert_vectors', {
        body: { vectors: lists.map((list, i) => ({ ...A, id: `r${i}`, values: list })) },
      });
    assert.equal((await upsert(values, values.toReversed())).text, '{"upsertedCount":2}');
    const [first, second] = await index.fetch('', ['r0', 'r1']);
    assert.deepEqual(first?.values, Float32Array.from(values));
    assert.deepEqual(second?.values, first?.values?.toReversed());
    const mismatch = 'Vector dimension 21 does not match the dimension of the index 20';
    await assertRefused(upsert(values, [...values, 1]), mismatch);
    const zeros =
      "Dense vectors must contain at least one non-zero value. Vector ID 'r0' contains only zeros";
    await assertRefused(upsert(new Array(20).fill(1e-9)), zeros);
    await assertRefused(upsert(values.with(19, 1e39)), 'Vector values must be finite 32-bit floats');
    await assertRefused(upsert([...values.slice(1), '1']), 'Vector values must be numbers');
  });

  it('stores nothing when any record is invalid', async () => {
    const { call, store: index } = makeTestIndex();
    const message = 'Vector dimension 2 does not match the dimension of the index 3';
    await assertRefused(
      call('upsert_vectors', { body: { vectors: [A, { id: 'b', values: [1, 2] }] } }),
      message,
    );
    assert.equal(await index.describeNamespace(''), null);
    assert.equal(index.lsn(), 0);
  });

  it('accepts records up to the limit', async () => {
    const { call } = makeTestIndex();
    const many = Array.from({ length: 1001 }, (_, i) => ({ id: `r${i}`, values: [1, 2, 3] }));
    await store(call, many.slice(1));
    for (const vectors of [[], many, undefined, null]) {
      await assertRefused(
        call('upsert_vectors', { body: { vectors } }),
        /^vectors must hold 1 to 1000 records/,
      );
    }
    await assertRefused(call('upsert_vectors', { body: { vectors: 'a' } }), 'vectors must be an array');
    await assertRefused(call('upsert_vectors', { body: { vectors: [1] } }), /must be an object/);
    await assertRefused(
      call('upsert_vectors', { body: { vectors: [A], namespace: 'é' } }),
      /^Namespace must be ASCII/,
    );
    await assertRefused(
      call('upsert_vectors', { body: { vectors: [A], namespace: 5 } }),
      'Namespace must be a string',
    );
  });
});

describe('POST /vectors/update', () => {
  it('replaces vectors and merges metadata by id, and returns an empty object', async () => {
    const { call } = makeTestIndex();
    await store(call, [A]);
    const body = { id: 'a', values: [3, 3, 3], setMetadata: { year: 1, tags: ['x'] } };
    const reply = await call('update_vectors', { body });
    assert.deepEqual([reply.status, reply.text], [200, '{}']);
    const fetched = await call('fetch_vectors', { query: { ids: 'a' } });
    const metadata = { genre: 'drama', year: 1, tags: ['x'] };
    assert.deepEqual(fetched.json, {
      vectors: { a: { id: 'a', values: [3, 3, 3], metadata } },
      namespace: '',
      usage: { readUnits: 1 },
    });
  });

  it('returns an empty object for an unknown id and creates nothing', async () => {
    const { call, store: index } = makeTestIndex();
    const reply = await call('update_vectors', { body: { id: 'a', values: [3, 3, 3], namespace: 'n' } });
    assert.deepEqual([reply.status, reply.text], [200, '{}']);
    assert.equal(await index.describeNamespace('n'), null);
  });

  it('merges metadata by filter and counts the matches, only counting for dryRun', async () => {
    const { call, store: index } = makeTestIndex();
    await store(call, [A, B], 'n');
    const body = { filter: { genre: 'drama' }, setMetadata: { genre: 'noir' }, namespace: 'n' };
    for (const dry of [{ dryRun: true }, { dry_run: true }, { dryRun: true, setMetadata: undefined }]) {
      assert.equal(
        (await call('update_vectors', { body: { ...body, ...dry } })).text,
        '{"matchedRecords":1}',
      );
    }
    assert.equal((await index.fetch('n', ['a']))[0]?.metadataJson, JSON.stringify(A.metadata));
    assert.equal((await call('update_vectors', { body })).text, '{"matchedRecords":1}');
    assert.equal((await call('update_vectors', { body })).text, '{"matchedRecords":0}');
  });

  it('refuses updates by neither id nor filter, and by both', async () => {
    const { call } = makeTestIndex();
    const refusals: [object, string | RegExp][] = [
      [{}, 'Give exactly one of id and filter'],
      [{ id: 'a', filter: { g: 1 }, setMetadata: {} }, 'Give exactly one of id and filter'],
      [{ id: '' }, /^Vector ID must be 1 to 512 characters/],
      [{ id: 'x'.repeat(513) }, /^Vector ID must be 1 to 512 characters/],
      [{ id: 'é' }, 'Vector ID must be ASCII without NUL characters'],
      [{ id: 'a', dryRun: true }, 'dryRun is for updates by filter'],
      [{ filter: { g: 1 } }, 'An update by filter needs setMetadata'],
      [{ filter: {}, setMetadata: { a: 1 } }, 'filter must not be empty'],
      [{ filter: [], setMetadata: { a: 1 } }, /^filter must be an object/],
      [{ filter: { g: { $gt: 'x' } }, setMetadata: { a: 1 } }, /^illegal condition for field g, got /],
      [{ filter: { g: 1 }, setMetadata: { a: 1 }, values: [1, 2, 3] }, /changes metadata only/],
      [{ filter: { g: 1 }, setMetadata: { a: 1 }, dryRun: 'yes' }, 'dryRun must be a boolean'],
      [{ id: 'a', values: [1] }, 'Vector dimension 1 does not match the dimension of the index 3'],
      [{ id: 'a', values: [0, 0, 0] }, /Vector ID 'a' contains only zeros$/],
      [{ id: 'a', setMetadata: { f: null } }, /got 'null' for field 'f'$/],
      [{ id: 'a', setMetadata: { $f: 1 } }, /must not start with '\$'/],
    ];
    for (const [body, message] of refusals) await assertRefused(call('update_vectors', { body }), message);
  });

  it('quotes the start of a bad field name, however long', async () => {
    const long = 'x'.repeat(1_000_000);
    const quoted = 'x'.repeat(256);
    for (const [setMetadata, start] of [
      [{ [long]: null }, `got 'null' for field '${quoted}...'`],
      [{ [`$${long}`]: 1 }, `got '$${quoted.slice(1)}...'`],
    ] as const) {
      const { call } = makeTestIndex();
      const reply = await call('update_vectors', { body: { id: 'a', setMetadata } });
      assert.equal(reply.status, 400);
      assert.ok(reply.text.includes(start), reply.text.slice(0, 500));
    }
  });

  it('refuses merged metadata over the limit', async () => {
    const { call } = makeTestIndex();
    await store(call, [{ ...A, metadata: { one: 'x'.repeat(30_000) } }]);
    const body = { id: 'a', setMetadata: { two: 'x'.repeat(20_000) } };
    const message = 'Metadata size is 50019 bytes, which exceeds the limit of 40960 bytes per vector';
    await assertRefused(call('update_vectors', { body }), message);
  });
});

describe('POST and DELETE /vectors/delete', () => {
  it('deletes by ids, by filter and all', async () => {
    const { call, store: index } = makeTestIndex();
    await store(call, [A, B, { ...A, id: 'c' }], 'n');
    const reply = await call('delete_vectors', { body: { ids: ['a', 'unknown'], namespace: 'n' } });
    assert.deepEqual([reply.status, reply.text], [200, '{}']);
    await call('delete_vectors', { body: { filter: { genre: 'drama' }, namespace: 'n', deleteAll: false } });
    assert.equal((await index.describeNamespace('n'))?.recordCount, 1);
    assert.equal(
      (await call('delete_vectors', { body: { delete_all: true, namespace: 'n', ids: [] } })).text,
      '{}',
    );
    assert.equal(await index.describeNamespace('n'), null);
  });

  it('deletes by query string', async () => {
    const { call, store: index } = makeTestIndex();
    await store(call, [A, B]);
    assert.equal((await call('delete_vectors_by_query', { query: { ids: ['a'] } })).text, '{}');
    assert.equal((await index.describeNamespace(''))?.recordCount, 1);
    const query = { deleteAll: 'true', namespace: '__default__' };
    assert.equal((await call('delete_vectors_by_query', { query })).status, 200);
    const again = await call('delete_vectors_by_query', { query });
    assert.deepEqual([again.status, again.json], [404, NOT_FOUND]);
    const bad = call('delete_vectors_by_query', { query: { deleteAll: 'yes' } });
    await assertRefused(bad, 'deleteAll must be true or false');
  });

  it('returns 404 code 5 for a namespace that does not exist', async () => {
    const { call } = makeTestIndex();
    for (const body of [{ ids: ['a'] }, { deleteAll: true }, { filter: { a: 1 } }]) {
      const reply = await call('delete_vectors', { body: { ...body, namespace: 'none' } });
      assert.deepEqual([reply.status, reply.json], [404, NOT_FOUND]);
    }
  });

  it('refuses no selector, several, and bad ones', async () => {
    const { call } = makeTestIndex();
    await store(call, [A]);
    const exactlyOne = 'Give exactly one of ids, filter and deleteAll';
    const refusals: [object, string | RegExp][] = [
      [{}, exactlyOne],
      [{ ids: [], deleteAll: false }, exactlyOne],
      [{ ids: ['a'], deleteAll: true }, exactlyOne],
      [{ ids: ['a'], filter: { a: 1 } }, exactlyOne],
      [{ filter: { a: 1 }, deleteAll: true }, exactlyOne],
      [{ filter: {} }, 'filter must not be empty'],
      [{ filter: { $foo: 1 } }, /\$foo/],
      [{ ids: Array.from({ length: 1001 }, String) }, 'ids must hold 1 to 1000 ids, got 1001'],
      [{ ids: [''] }, /^Vector ID must be/],
      [{ ids: [3] }, 'Vector ID must be a string'],
      [{ ids: 'a' }, 'ids must be an array'],
    ];
    for (const [body, message] of refusals) await assertRefused(call('delete_vectors', { body }), message);
    assert.equal((await call('fetch_vectors', { query: { ids: 'a' } })).text.includes('"a"'), true);
  });
});
