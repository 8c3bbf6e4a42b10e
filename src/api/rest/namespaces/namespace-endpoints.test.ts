// Namespace operations: exact answers, order, paging and refusals.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, makeTestIndex, rpcError, store } from '../testing/data-client.ts';

const RECORD = { id: 'a', values: [1, 2, 3], metadata: { genre: 'x', year: 1 } };
const SCHEMA = { fields: { year: { filterable: true } } };

interface Listing {
  readonly namespaces: readonly { readonly name: string }[];
  readonly pagination?: { readonly next: string };
  readonly total_count: number;
}

describe('POST /namespaces', () => {
  it('returns the new namespace, with its schema if given', async () => {
    const { call } = makeTestIndex();
    for (const version of ['2025-10', null] as const) {
      const name = `n${version ?? ''}`;
      const plain = await call('create_namespace', { body: { name }, version });
      assert.deepEqual(
        [plain.status, plain.text],
        [200, `{"name":"${name}","record_count":0,"indexed_fields":{"fields":[]}}`],
      );
    }
    const rich = await call('create_namespace', { body: { name: 'm', schema: SCHEMA }, version: '2026-07' });
    assert.deepEqual(rich.json, {
      name: 'm',
      record_count: 0,
      schema: SCHEMA,
      indexed_fields: { fields: ['year'] },
      size_bytes: '0',
    });
  });

  it('shows the inherited fields of the index schema', async () => {
    const { call } = makeTestIndex({ filterableFields: ['b', 'a'] });
    const reply = await call('create_namespace', { body: { name: 'n' }, version: '2025-10' });
    assert.equal(reply.text, '{"name":"n","record_count":0,"indexed_fields":{"fields":["a","b"]}}');
  });

  it('returns 409 code 6 for an existing namespace', async () => {
    const { call } = makeTestIndex();
    await store(call, [RECORD], 'n');
    const reply = await call('create_namespace', { body: { name: 'n' } });
    assert.deepEqual([reply.status, reply.json], [409, rpcError('Namespace n already exists', 6)]);
  });

  it('refuses bad names and schemas', async () => {
    const { call } = makeTestIndex();
    const refusals: [object, string | RegExp][] = [
      [{}, /default namespace cannot be created$/],
      [{ name: '' }, /default namespace cannot be created$/],
      [{ name: '__default__' }, /default namespace cannot be created$/],
      [{ name: 'é' }, 'Namespace must be ASCII without NUL characters'],
      [{ name: 'x'.repeat(513) }, /^Namespace must be 1 to 512 characters/],
      [{ name: 5 }, 'Namespace must be a string'],
      [
        { name: 'n', schema: { fields: { f: { filterable: false } } } },
        /^Field 'f' is set to filterable: false/,
      ],
      [{ name: 'n', schema: [] }, 'schema must be an object'],
    ];
    for (const [body, message] of refusals) await assertRefused(call('create_namespace', { body }), message);
  });
});

describe('GET /namespaces', () => {
  async function many() {
    const index = makeTestIndex();
    for (const namespace of ['b', '', 'Alpha', 'a', '~', '__later__'])
      await store(index.call, [RECORD], namespace);
    return index;
  }

  it('sorts by the names shown, including the default namespace, in bytewise order', async () => {
    const { call } = await many();
    const reply = await call('list_namespaces', { version: '2025-10' });
    const { namespaces, total_count } = reply.json as Listing;
    assert.deepEqual(
      namespaces.map(({ name }) => name),
      ['Alpha', '__default__', '__later__', 'a', 'b', '~'],
    );
    assert.equal(total_count, 6);
    assert.deepEqual(Object.keys(reply.json as object), ['namespaces', 'total_count']);
    assert.deepEqual(namespaces[1], {
      name: '__default__',
      record_count: 1,
      indexed_fields: { fields: ['genre', 'year'] },
    });
  });

  it('lists every namespace once, whatever the limit and prefix', async () => {
    const { call } = await many();
    for (const [prefix, expected] of [
      ['', 6],
      ['__', 2],
      ['__d', 1],
      ['a', 1],
      ['zz', 0],
    ] as const) {
      for (const limit of ['1', '2', '3', '6', '100']) {
        const seen: string[] = [];
        let paginationToken: string | undefined;
        do {
          const query = { limit, prefix, paginationToken };
          const page = (await call('list_namespaces', { query })).json as Listing;
          assert.equal(page.total_count, expected);
          seen.push(...page.namespaces.map(({ name }) => name));
          paginationToken = page.pagination?.next;
        } while (paginationToken !== undefined);
        assert.equal(seen.length, expected, `limit ${limit}, prefix '${prefix}'`);
        assert.deepEqual(seen, seen.toSorted());
      }
    }
  });

  it('refuses bad limits and tokens of other listings', async () => {
    const { call } = await many();
    for (const limit of ['0', '101', 'x']) {
      await assertRefused(
        call('list_namespaces', { query: { limit } }),
        'limit must be an integer from 1 to 100',
      );
    }
    const first = (await call('list_namespaces', { query: { limit: '1' } })).json as Listing;
    const query = { prefix: 'a', pagination_token: first.pagination?.next };
    await assertRefused(call('list_namespaces', { query }), 'paginationToken is not a token of this listing');
  });
});

describe('/namespaces/{namespace}', () => {
  it('describes a namespace, deletes it, and then returns 404 code 5', async () => {
    const { call } = makeTestIndex();
    await store(call, [RECORD]);
    const params = { namespace: '__default__' };
    const described = await call('describe_namespace', { params, version: '2025-04' });
    const fields = '"indexed_fields":{"fields":["genre","year"]}';
    assert.deepEqual(
      [described.status, described.text],
      [200, `{"name":"__default__","record_count":1,${fields}}`],
    );
    const deleted = await call('delete_namespace', { params });
    assert.deepEqual([deleted.status, deleted.text], [200, '{}']);
    for (const operation of ['describe_namespace', 'delete_namespace']) {
      const reply = await call(operation, { params });
      assert.deepEqual([reply.status, reply.json], [404, rpcError('Namespace not found', 5)]);
    }
  });
});
