// Reads that are wrong: each is refused with 400 and a reason in the rpc body, and never with a 5xx.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { both, INVALID_DATA, rpc } from './support/bodies.ts';
import { call } from './support/call.ts';
import { Connection } from './support/connection.ts';
import { assertRefused, type RefusedBody } from './support/refused-body.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const INVALID = 3;
const VECTOR = [1, 2];

function nested(levels: number): object {
  let filter: object = { a: 1 };
  for (let level = 0; level < levels; level++) filter = { $and: [filter] };
  return filter;
}

const QUERIES: readonly RefusedBody[] = [
  ['no topK', { vector: VECTOR }, 'topK must be an integer from 1 to 10000'],
  ['topK 0', { vector: VECTOR, topK: 0 }, 'topK must be an integer from 1 to 10000'],
  ['topK 10,001', { vector: VECTOR, topK: 10_001 }, 'topK must be an integer from 1 to 10000'],
  ['topK 1.5', { vector: VECTOR, topK: 1.5 }, 'topK must be an integer from 1 to 10000'],
  ['topK of a wrong type', { vector: VECTOR, topK: '5' }, 'topK must be an integer from 1 to 10000'],
  ['nothing to search by', { topK: 1 }, /vector, sparseVector and id/],
  ['a vector and an id', { vector: VECTOR, id: 'a', topK: 1 }, /not both/],
  [
    'a wrong dimension',
    { vector: [1], topK: 1 },
    'Vector dimension 1 does not match the dimension of the index 2',
  ],
  ['a token NaN', '{"vector": [1, NaN], "topK": 1}', /not valid JSON/],
  ['a number beyond 32-bit floats', '{"vector": [1, 1e39], "topK": 1}', /finite/],
  [
    'sparse values on a cosine index',
    { vector: VECTOR, sparseVector: { indices: [1], values: [1] }, topK: 1 },
    /does not support sparse/,
  ],
  ['only zeros on a cosine index', { vector: [0, 0], topK: 1 }, /./],
  [
    'a flag of a wrong type',
    { vector: VECTOR, topK: 1, includeValues: 'yes' },
    'includeValues must be a boolean',
  ],
  ['hints for dedicated capacity', { vector: VECTOR, topK: 1, scanFactor: 2 }, /dedicated/],
];

const FILTERS: readonly (readonly [what: string, filter: unknown])[] = [
  ['no object', 'genre'],
  ['an array', []],
  ['a bare operator', { $gt: 5 }],
  ['an unknown operator', { year: { $near: 5 } }],
  ['an array without operator', { genre: ['a', 'b'] }],
  ['an array for $eq', { genre: { $eq: ['a', 'b'] } }],
  ['no operator at all', { genre: {} }],
  ['a nested object', { genre: { x: 1 } }],
  ['a null', { genre: null }],
  ['a null operand', { genre: { $eq: null } }],
  ['$and of no array', { $and: { a: 1 } }],
  ['an empty $or', { $or: [] }],
  ['a string for $gt', { year: { $gt: 'x' } }],
  ['a boolean for $lt', { year: { $lt: true } }],
  ['a scalar for $in', { genre: { $in: 'a' } }],
  ['10,001 entries for $in', { genre: { $in: Array.from({ length: 10_001 }, (_, i) => i) } }],
  ['a number for $exists', { genre: { $exists: 1 } }],
  ['a text match on a vectors index', { genre: { $match_phrase: 'a b' } }],
  ['100 levels', nested(100)],
  ['33 levels', nested(33)],
];

const PATHS: readonly (readonly [path: string, message: RegExp])[] = [
  ['/vectors/fetch', /1 to 1000 ids/],
  ['/vectors/fetch?ids=', /Vector ID/],
  [`/vectors/fetch?ids=${'x'.repeat(513)}`, /1 to 512/],
  [`/vectors/fetch?${Array.from({ length: 1_001 }, (_, i) => `ids=${i}`).join('&')}`, /1 to 1000/],
  ['/vectors/list?limit=0', /limit must be an integer from 1 to 100/],
  ['/vectors/list?limit=101', /limit must be an integer from 1 to 100/],
  ['/vectors/list?limit=ten', /limit must be an integer from 1 to 100/],
  ['/vectors/list?paginationToken=broken', /paginationToken/],
  ['/vectors/list?paginationToken=AAAAAAAAAAAAAAAA', /paginationToken/],
  ['/vectors/list?prefix=a&prefix=b', /prefix/],
  ['/namespaces?limit=0', /limit must be an integer from 1 to 100/],
  ['/namespaces?paginationToken=broken', /paginationToken/],
];

describe('a wrong read', () => {
  let service: Service;
  let connection: Connection;
  let host: string;
  before(async () => {
    service = await startService();
    host = await service.createIndex({ name: 'bad', dimension: 2 });
    connection = new Connection(host);
    const vectors = Array.from({ length: 5 }, (_, i) => ({ id: `${i}`, values: [1, i], metadata: { a: 1 } }));
    await connection.upsert('', vectors);
  });
  after(async () => {
    connection.close();
    await service.dispose();
  });

  const refuses = (path: string, refused: RefusedBody) => assertRefused(connection, path, refused);

  for (const one of QUERIES) {
    it(`gets 400 and a reason for a query with ${one[0]}`, () => refuses('/query', one));
  }

  for (const [what, filter] of FILTERS) {
    it(`gets 400 for a filter with ${what}, wherever filters are allowed`, async () => {
      await refuses('/query', [what, { vector: VECTOR, topK: 1, filter }, /./]);
      await refuses('/vectors/fetch_by_metadata', [what, { filter }, /./]);
      await refuses('/vectors/delete', [what, { filter }, /./]);
      await refuses('/vectors/update', [what, { filter, setMetadata: { b: 1 } }, /./]);
      const search = { query: { top_k: 1, vector: { values: VECTOR }, filter } };
      const answer = await connection.call('POST', '/records/namespaces/__default__/search', search);
      const { message } = (answer.body as { error: { message: string } }).error;
      assert.deepEqual([answer.status, answer.body], [400, both(INVALID_DATA, message)]);
    });
  }

  it('quotes the condition that is illegal', async () => {
    const request = { vector: VECTOR, topK: 1, filter: { year: { $gt: 'x' } } };
    await refuses('/query', ['$gt', request, 'illegal condition for field year, got {"$gt":"x"}']);
  });

  it('gets 400 and a reason for wrong parameters in its path', async () => {
    for (const [path, message] of PATHS) {
      const { status, body, text } = await connection.call('GET', path);
      assert.equal(status, 400, `${path.slice(0, 80)}: ${status} ${text}`);
      const told = (body as { message: string }).message;
      assert.deepEqual(body, path.startsWith('/namespaces') ? rpc(INVALID, told) : both(INVALID_DATA, told));
      assert.match(told, message);
    }
  });

  it('is refused with a token of another list', async () => {
    const page = await connection.call('GET', '/vectors/list?limit=2');
    const { next } = (page.body as { pagination: { next: string } }).pagination;
    assert.equal((await connection.call('GET', `/vectors/list?limit=3&paginationToken=${next}`)).status, 200);
    for (const other of ['/vectors/list?prefix=1&', '/vectors/list?namespace=n&', '/namespaces?']) {
      const answer = await connection.call('GET', `${other}paginationToken=${next}`);
      assert.equal(answer.status, 400, other);
    }
  });

  it('is refused for stats with a filter on a serverless index', async () => {
    await refuses('/describe_index_stats', ['filter', { filter: { a: 1 } }, /filter/]);
    assert.equal((await connection.call('POST', '/describe_index_stats', { filter: {} })).status, 200);
  });

  it('is refused if its response would exceed 4 MB', async () => {
    const wide = new Connection(await service.createIndex({ name: 'wide', dimension: 1_000 }));
    const values = Array.from({ length: 1_000 }, (_, i) => 1 + i / 997);
    for (let i = 0; i < 600; i += 100) {
      await wide.upsert(
        '',
        Array.from({ length: 100 }, (_, j) => ({ id: `${i + j}`, values })),
      );
    }
    const query = { vector: values, topK: 600, includeValues: true };
    const answer = await wide.call('POST', '/query', query);
    assert.equal(answer.status, 400, answer.text.slice(0, 200));
    assert.match((answer.body as { message: string }).message, /maximum size of 4MB/);
    assert.equal((await wide.query({ ...query, includeValues: false })).length, 600);
    wide.close();
  });

  it('finds nothing in a missing namespace, without an error', async () => {
    const namespace = 'nowhere';
    assert.deepEqual(await connection.query({ namespace, vector: VECTOR, topK: 1 }), []);
    assert.equal((await connection.fetch(namespace, ['a'])).size, 0);
    assert.deepEqual(await connection.listIds(namespace), []);
    const described = await connection.call('GET', `/namespaces/${namespace}`);
    assert.deepEqual([described.status, described.body], [404, rpc(5, 'Namespace not found')]);
  });

  it('refuses a host name that is not of this machine, with 403 in the body of vectors operations', async () => {
    const answer = await call(host, 'GET', '/vectors/list', {
      key: API_KEY,
      headers: { host: 'evil.example' },
    });
    assert.equal(answer.status, 403, answer.text);
    assert.match(answer.text, /evil\.example.*PINYON_ALLOWED_HOSTS/);
  });

  it('leaves the server healthy and its log empty', async () => {
    assert.equal((await service.call('GET', '/health')).status, 200);
    assert.deepEqual(await connection.listIds(''), ['0', '1', '2', '3', '4']);
    assert.equal(service.process.log, '');
  });
});

describe('an unknown host name under a public domain', () => {
  const ENV = { PINYON_PUBLIC_DOMAIN: 'svc.example.org', PINYON_PUBLIC_PORT: '443' };
  let service: Service;
  before(async () => {
    service = await startService({ env: ENV });
  });
  after(() => service.dispose());

  it('gets 404 as a deleted one does, also after a restart; a known one its index on the base port', async () => {
    const host = await service.createIndex({ name: 'virtual', dimension: 2 });
    assert.match(host, /virtual-[a-z0-9]+\.svc\.example\.org/);
    const ask = (name: string) =>
      service.call('POST', '/describe_index_stats', { headers: { host: name }, body: {} });
    const known = host.replace(/^https?:\/\//, '');
    assert.equal((await ask(known)).status, 200, (await ask(known)).text);
    const unknown = await ask(known.replace('virtual', 'nothing'));
    assert.equal(unknown.status, 404, unknown.text);
    await service.call('DELETE', '/indexes/virtual');
    assert.equal((await ask(known)).status, 404);
    await service.restart({ env: ENV });
    assert.equal((await ask(known)).status, 404);
  });
});
