// Writes that are wrong: each is refused with the contract's status and body, and leaves nothing behind.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { both } from './support/bodies.ts';
import { Connection } from './support/connection.ts';
import { assertRefused, type RefusedBody } from './support/refused-body.ts';
import { type Service, startService } from './support/service.ts';

const REQUEST_BYTES_MAX = 2 * 1024 * 1024;

function upsertOf(...vectors: readonly unknown[]) {
  return { vectors };
}

function metadata(value: unknown) {
  return upsertOf({ id: 'a', values: [1, 2], metadata: value });
}

const BAD_METADATA = 'Metadata value must be a string, number, boolean or list of strings, got ';

const UPSERTS: readonly RefusedBody[] = [
  ['no body', '', /JSON/],
  ['malformed JSON', '{"vectors": [{"id": "a", "values": [1, 2]}', /^The request body is not valid JSON: /],
  ['a token NaN', '{"vectors": [{"id": "a", "values": [1, NaN]}]}', /^The request body is not valid JSON: /],
  ['a token Infinity', '{"vectors": [{"id": "a", "values": [1, -Infinity]}]}', /not valid JSON/],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not valid UTF-8/],
  ['an array', [], 'The request body must be a JSON object'],
  ['a string', '"vectors"', 'The request body must be a JSON object'],
  ['no vectors', {}, /vectors/],
  ['empty vectors', upsertOf(), /1 to 1000/],
  ['vectors of a wrong type', { vectors: 'a' }, /vectors must be an array/],
  ['a vector of a wrong type', upsertOf('a'), /./],
  ['a null vector', upsertOf(null), /./],
  [
    'a number beyond 32-bit floats',
    '{"vectors": [{"id": "a", "values": [1, 1e39]}]}',
    /finite 32-bit floats/,
  ],
  [
    'a number beyond 64-bit floats',
    '{"vectors": [{"id": "a", "values": [1, 1e999]}]}',
    /finite 32-bit floats/,
  ],
  ['values of a wrong type', upsertOf({ id: 'a', values: [1, '2'] }), 'Vector values must be numbers'],
  ['null among the values', upsertOf({ id: 'a', values: [1, null] }), 'Vector values must be numbers'],
  ['values that are no array', upsertOf({ id: 'a', values: 3 }), 'Vector values must be an array of numbers'],
  ['no values', upsertOf({ id: 'a' }), /./],
  [
    'a wrong dimension',
    upsertOf({ id: 'a', values: [1, 2, 3] }),
    'Vector dimension 3 does not match the dimension of the index 2',
  ],
  [
    'only zeros',
    upsertOf({ id: 'a', values: [0, 0] }),
    "Dense vectors must contain at least one non-zero value. Vector ID 'a' contains only zeros",
  ],
  ['only denormals', upsertOf({ id: 'a', values: [1e-40, -1e-41] }), /contains only zeros/],
  ['no id', upsertOf({ values: [1, 2] }), /Vector ID/],
  ['an empty id', upsertOf({ id: '', values: [1, 2] }), /Vector ID must be 1 to 512 characters long/],
  [
    'an id of 513 characters',
    upsertOf({ id: 'x'.repeat(513), values: [1, 2] }),
    /Vector ID must be 1 to 512 .* 513/,
  ],
  ['an id of a wrong type', upsertOf({ id: 7, values: [1, 2] }), /Vector ID must be a string/],
  ['an id beyond ASCII', upsertOf({ id: 'é', values: [1, 2] }), /ASCII/],
  ['an id with NUL', upsertOf({ id: 'a\0', values: [1, 2] }), /ASCII without NUL/],
  [
    '1,001 vectors',
    upsertOf(...Array.from({ length: 1_001 }, (_, i) => ({ id: `${i}`, values: [1, 2] }))),
    /1 to 1000.* 1001/,
  ],
  ['nested metadata', metadata({ deep: { er: 1 } }), `${BAD_METADATA}'{"er":1}' for field 'deep'`],
  ['null in metadata', metadata({ nothing: null }), `${BAD_METADATA}'null' for field 'nothing'`],
  ['a list of numbers in metadata', metadata({ list: [1, 2] }), `${BAD_METADATA}'[1,2]' for field 'list'`],
  ['a mixed list in metadata', metadata({ list: ['a', 2] }), `${BAD_METADATA}'["a",2]' for field 'list'`],
  ['metadata of a wrong type', metadata(['a']), 'Metadata must be an object'],
  ['an operator as metadata field', metadata({ $in: 'a' }), /must not start with '\$'.*\$in/],
  [
    'oversize metadata',
    metadata({ text: 'x'.repeat(40_960) }),
    'Metadata size is 40971 bytes, which exceeds the limit of 40960 bytes per vector',
  ],
  [
    'repeated sparse indices',
    upsertOf({ id: 'a', values: [1, 2], sparseValues: { indices: [1, 1], values: [1, 2] } }),
    'Sparse indices must be unique',
  ],
  [
    'a namespace of a wrong type',
    { ...upsertOf({ id: 'a', values: [1, 2] }), namespace: 7 },
    /[Nn]amespace must be a string/,
  ],
  [
    'a namespace of 513 characters',
    { ...upsertOf({ id: 'a', values: [1, 2] }), namespace: 'n'.repeat(513) },
    /1 to 512/,
  ],
  ['a body 100 levels deep', `{"vectors": ${'['.repeat(100)}${']'.repeat(100)}}`, /./],
  [
    'one bad vector among good ones',
    upsertOf({ id: 'good', values: [1, 2] }, { id: 'bad', values: [1] }),
    /Vector dimension 1/,
  ],
  [
    'a body of 2 MB and one byte',
    padded(REQUEST_BYTES_MAX + 1),
    /^Request size 2\.\d+MB exceeds the maximum supported size of 2MB$/,
  ],
];

const UPDATES: readonly RefusedBody[] = [
  ['neither id nor filter', { setMetadata: { a: 1 } }, 'Give exactly one of id and filter'],
  [
    'both id and filter',
    { id: 'a', filter: { a: 1 }, setMetadata: { a: 1 } },
    'Give exactly one of id and filter',
  ],
  ['an empty filter', { filter: {}, setMetadata: { a: 1 } }, /filter/],
  ['values by filter', { filter: { a: 1 }, values: [1, 2] }, /leave out values/],
  ['nothing to set by filter', { filter: { a: 1 } }, /setMetadata/],
  ['a dry run by id', { id: 'kept', setMetadata: { a: 1 }, dryRun: true }, /dryRun/],
  ['null metadata', { id: 'kept', setMetadata: { a: null } }, `${BAD_METADATA}'null' for field 'a'`],
  [
    'merged metadata over the limit',
    { id: 'kept', setMetadata: { more: 'x'.repeat(40_950) } },
    /^Metadata size is \d+ bytes/,
  ],
  [
    'a wrong dimension',
    { id: 'kept', values: [1] },
    'Vector dimension 1 does not match the dimension of the index 2',
  ],
  ['only zeros', { id: 'kept', values: [0, 0] }, /contains only zeros/],
  ['an empty id', { id: '', setMetadata: { a: 1 } }, /Vector ID/],
];

const DELETES: readonly RefusedBody[] = [
  ['no selector', {}, 'Give exactly one of ids, filter and deleteAll'],
  ['two selectors', { ids: ['kept'], deleteAll: true }, 'Give exactly one of ids, filter and deleteAll'],
  ['an empty filter', { filter: {} }, /filter/],
  ['1,001 ids', { ids: Array.from({ length: 1_001 }, (_, i) => `${i}`) }, /1 to 1000/],
  ['ids of a wrong type', { ids: 'kept' }, /ids must be an array/],
  ['a flag of a wrong type', { deleteAll: 'yes' }, 'deleteAll must be a boolean'],
];

/** A valid upsert padded with white space to that many bytes. */
function padded(bytes: number): string {
  const text = JSON.stringify(upsertOf({ id: 'big', values: [1, 2] }));
  return text + ' '.repeat(bytes - text.length);
}

describe('wrong writes', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.dispose());

  describe('a wrong write', () => {
    const kept = { id: 'kept', values: [1, 2], metadata: { a: 0 } };
    let connection: Connection;
    before(async () => {
      connection = new Connection(await service.createIndex({ name: 'bad', dimension: 2 }));
      await connection.upsert('', [kept]);
    });
    after(() => connection.close());

    const refuses = (path: string, refused: RefusedBody) => assertRefused(connection, path, refused);

    for (const [path, cases] of [
      ['/vectors/upsert', UPSERTS],
      ['/vectors/update', UPDATES],
      ['/vectors/delete', DELETES],
    ] as const) {
      for (const one of cases) it(`gets 400 and a reason at ${path} for ${one[0]}`, () => refuses(path, one));
    }

    it('gets 404 for a missing namespace', async () => {
      for (const body of [{ ids: ['a'] }, { deleteAll: true }, { filter: { a: 1 } }]) {
        const answer = await connection.call('POST', '/vectors/delete', { namespace: 'nowhere', ...body });
        assert.deepEqual(
          [answer.status, answer.body],
          [404, both({ status: 404, name: 'NOT_FOUND', code: 5 }, 'Namespace not found')],
        );
      }
    });

    it('changes nothing, and leaves the server running', async () => {
      assert.deepEqual(await connection.listIds(''), ['kept']);
      assert.deepEqual((await connection.fetch('', ['kept'])).get('kept'), kept);
      assert.equal((await service.call('GET', '/health')).status, 200);
      assert.equal(service.process.log, '', 'nothing was logged as an error');
    });
  });

  describe('a write at the edge of what is allowed', () => {
    let connection: Connection;
    before(async () => {
      connection = new Connection(
        await service.createIndex({ name: 'edge', dimension: 2, metric: 'dotproduct' }),
      );
    });
    after(() => connection.close());

    it('is accepted: 2 MB, 1,000 vectors, ids of 512 characters, 40,960 bytes of metadata, unknown fields', async () => {
      assert.equal((await connection.call('POST', '/vectors/upsert', padded(REQUEST_BYTES_MAX))).status, 200);
      const vectors = Array.from({ length: 1_000 }, (_, i) => ({ id: `${i}`, values: [1, i] }));
      assert.deepEqual((await connection.call('POST', '/vectors/upsert', { vectors })).body, {
        upsertedCount: 1_000,
      });
      const id = 'x'.repeat(512);
      const text = 'x'.repeat(40_960 - '{"text":""}'.length);
      const unknown = { whatever: { x: 1 } };
      await connection.post('/vectors/upsert', {
        ...unknown,
        vectors: [{ id, values: [1, 1], metadata: { text }, ...unknown }],
      });
      assert.equal((await connection.fetch('', [id])).get(id)?.metadata?.text, text);
    });

    it('keeps the last of duplicate ids and counts them all', async () => {
      const vectors = [
        { id: 'twice', values: [1, 1] },
        { id: 'twice', values: [2, 2] },
      ];
      const answer = await connection.call('POST', '/vectors/upsert', { namespace: 'twice', vectors });
      assert.deepEqual(answer.body, { upsertedCount: 2 });
      assert.deepEqual((await connection.fetch('twice', ['twice'])).get('twice')?.values, [2, 2]);
    });

    it('stores a denormal among ordinary numbers as zero, and the largest float unchanged', async () => {
      const vectors = [{ id: 'tiny', values: [1e-40, 3.4028234e38] }];
      await connection.post('/vectors/upsert', { namespace: 'tiny', vectors });
      const { values } = (await connection.fetch('tiny', ['tiny'])).get('tiny') ?? {};
      assert.deepEqual(values?.map(Math.fround), [0, Math.fround(3.4028234e38)]);
      const [match] = await connection.query({ namespace: 'tiny', vector: [1, 3.4028234e38], topK: 1 });
      assert.ok(Number.isFinite(match?.score), `score ${match?.score}`);
    });

    it('counts what an update by filter would change without changing it, in a dry run', async () => {
      const namespace = 'dry';
      const vectors = ['a', 'b', 'c'].map((id, i) => ({ id, values: [1, 1], metadata: { n: i } }));
      await connection.upsert(namespace, vectors);
      const request = { namespace, filter: { n: { $gte: 1 } }, setMetadata: { seen: true } };
      assert.deepEqual(await connection.post('/vectors/update', { ...request, dryRun: true }), {
        matchedRecords: 2,
      });
      assert.deepEqual((await connection.fetch(namespace, ['b'])).get('b')?.metadata, { n: 1 });
      assert.deepEqual(await connection.post('/vectors/update', request), { matchedRecords: 2 });
      assert.deepEqual((await connection.fetch(namespace, ['b'])).get('b')?.metadata, { n: 1, seen: true });
      const none = { ...request, filter: { n: 99 } };
      assert.deepEqual(await connection.post('/vectors/update', none), { matchedRecords: 0 });
      assert.deepEqual(await connection.post('/vectors/update', { namespace, id: 'a', values: [2, 2] }), {});
    });
  });
});
