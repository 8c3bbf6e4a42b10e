// Wrong requests to the control plane: status, code and message of the contract, in the standard body.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { standard } from './support/bodies.ts';
import { type Service, startService } from './support/service.ts';

const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const INVALID = [400, 'INVALID_ARGUMENT'] as const;
const UNREADABLE = [422, 'UNPROCESSABLE_ENTITY'] as const;
const MISSING = [404, 'NOT_FOUND'] as const;
const BAD_NAME = /Name must consist of lower case alphanumeric characters or '-'/;

type Case = readonly [
  what: string,
  body: unknown,
  expected: readonly [status: number, code: string],
  message: string | RegExp,
];

function withBody(part: object) {
  return { name: 'wanted', dimension: 2, spec: SPEC, ...part };
}

const CREATES: readonly Case[] = [
  ['malformed JSON', '{"name": ', INVALID, /not valid JSON/],
  ['no body', undefined, INVALID, /not valid JSON/],
  ['an array', [], UNREADABLE, /Failed to deserialize the JSON body/],
  ['no spec', { name: 'wanted', dimension: 2 }, UNREADABLE, /missing field `spec` at line 1 column \d+/],
  ['no name', { dimension: 2, spec: SPEC }, UNREADABLE, /missing field `name` at line 1 column \d+/],
  ['a dimension of a wrong type', withBody({ dimension: '2' }), UNREADABLE, /Failed to deserialize/],
  ['a name in upper case', withBody({ name: 'Wanted' }), INVALID, BAD_NAME],
  ['a name that ends with a hyphen', withBody({ name: 'wanted-' }), INVALID, BAD_NAME],
  ['an empty name', withBody({ name: '' }), INVALID, /[Nn]ame/],
  ['a name of 46 characters', withBody({ name: 'x'.repeat(46) }), INVALID, /45/],
  ['dimension 0', withBody({ dimension: 0 }), INVALID, /dimension/i],
  ['dimension 20,001', withBody({ dimension: 20_001 }), INVALID, /dimension/i],
  ['no dimension', withBody({ dimension: undefined }), INVALID, /dimension/i],
  ['a dimension on a sparse index', withBody({ vector_type: 'sparse' }), INVALID, /dimension/i],
  [
    'a sparse index with cosine',
    { name: 'wanted', vector_type: 'sparse', metric: 'cosine', spec: SPEC },
    INVALID,
    /dotproduct/,
  ],
  [
    'an unknown metric',
    withBody({ metric: 'manhattan' }),
    INVALID,
    'Metric must be cosine, euclidean, or dotproduct.',
  ],
  ['two specs', withBody({ spec: { ...SPEC, pod: { environment: 'e' } } }), INVALID, /exactly one/],
  ['an empty spec', withBody({ spec: {} }), INVALID, /exactly one/],
  [
    'an unknown region',
    withBody({ spec: { serverless: { cloud: 'aws', region: 'mars' } } }),
    MISSING,
    'Resource cloud: aws region: mars not found.',
  ],
  ['a tag key with a space', withBody({ tags: { 'a b': 'x' } }), INVALID, /[Tt]ag/],
  ['a tag key of 81 characters', withBody({ tags: { ['k'.repeat(81)]: 'x' } }), INVALID, /80/],
  ['a tag value of 121 characters', withBody({ tags: { k: 'x'.repeat(121) } }), INVALID, /120/],
  [
    '21 tags',
    withBody({ tags: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'x'])) }),
    INVALID,
    /20/,
  ],
  [
    'an unfilterable metadata field',
    withBody({
      spec: { serverless: { ...SPEC.serverless, schema: { fields: { f: { filterable: false } } } } },
    }),
    INVALID,
    "Field 'f' is set to filterable: false. Only filterable: true is supported.",
  ],
  ['both generations of keys', withBody({ schema: { fields: {} } }), INVALID, /./],
  [
    'a schema without a searchable field',
    { name: 'wanted', schema: { fields: {} } },
    INVALID,
    'Schema must contain at least one of the following field types: dense_vector, sparse_vector, string with full_text_search',
  ],
  [
    'incomplete dedicated capacity',
    withBody({
      spec: {
        serverless: {
          ...SPEC.serverless,
          read_capacity: { mode: 'Dedicated', dedicated: { node_type: 'b1' } },
        },
      },
    }),
    INVALID,
    /read_capacity/,
  ],
];

describe('a wrong request to the control plane', () => {
  let service: Service;
  before(async () => {
    service = await startService();
    await service.createIndex({ name: 'there', dimension: 2 });
  });
  after(() => service.dispose());

  async function refuses(method: string, path: string, [what, body, [status, code], message]: Case) {
    const answer = await service.call(method, path, { body });
    assert.equal(answer.status, status, `${what}: ${answer.status} ${answer.text}`);
    const told = (answer.body as { error: { message: string } }).error.message;
    assert.deepEqual(answer.body, standard(status, code, told), what);
    if (typeof message === 'string') assert.equal(told, message, what);
    else assert.match(told, message, what);
  }

  for (const one of CREATES) {
    it(`gets ${one[2][0]} and a reason when it creates an index with ${one[0]}`, () =>
      refuses('POST', '/indexes', one));
  }

  it('gets 404 with the name for a missing index', async () => {
    const missing: Case = ['missing', undefined, MISSING, 'Index nothing not found.'];
    await refuses('GET', '/indexes/nothing', missing);
    await refuses('DELETE', '/indexes/nothing', missing);
    await refuses('PATCH', '/indexes/nothing', [
      'missing',
      { tags: { a: 'b' } },
      MISSING,
      'Index nothing not found.',
    ]);
    await refuses('GET', '/collections/nothing', [
      'missing',
      undefined,
      MISSING,
      'Collection nothing not found.',
    ]);
  });

  it('gets 409 for a name in use', async () => {
    const body = withBody({ name: 'there' });
    await refuses('POST', '/indexes', ['taken', body, [409, 'ALREADY_EXISTS'], 'Resource already exists.']);
  });

  it('gets 403 when it deletes a protected index', async () => {
    await service.call('PATCH', '/indexes/there', { body: { deletion_protection: 'enabled' } });
    const message =
      'Deletion protection is enabled for this index. Disable deletion protection before retrying.';
    await refuses('DELETE', '/indexes/there', ['protected', undefined, [403, 'FORBIDDEN'], message]);
  });

  it('is refused when it changes what cannot change', async () => {
    for (const body of [{ dimension: 3 }, { metric: 'cosine' }, { name: 'other' }]) {
      const answer = await service.call('PATCH', '/indexes/there', { body, version: '2026-04' });
      assert.ok(
        [400, 422].includes(answer.status),
        `${JSON.stringify(body)}: ${answer.status} ${answer.text}`,
      );
    }
    const pods = { spec: { pod: { replicas: 2 } } };
    await refuses('PATCH', '/indexes/there', ['pods', pods, INVALID, /serverless/]);
  });

  it('is accepted with unknown keys up to 2026-04, and gets 422 since 2026-07', async () => {
    const body = { tags: { a: 'b' }, colour: 'red' };
    assert.equal((await service.call('PATCH', '/indexes/there', { body, version: '2026-04' })).status, 200);
    assert.equal((await service.call('PATCH', '/indexes/there', { body, version: '2026-07' })).status, 422);
    const wanted = {
      name: 'keys',
      schema: { fields: { _values: { type: 'dense_vector', dimension: 2, metric: 'cosine' } } },
    };
    const made = await service.call('POST', '/indexes', {
      body: { ...wanted, colour: 'red' },
      version: '2026-07',
    });
    assert.equal(made.status, 422, made.text);
  });

  it('gets 413 over the limit of bytes, and 400 when nested too deeply', async () => {
    const large = await service.call('POST', '/indexes', {
      body: withBody({ pad: 'x'.repeat(1024 * 1024) }),
    });
    assert.equal(large.status, 413, large.text);
    const deep = await service.call('POST', '/indexes', {
      body: `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    });
    assert.equal(deep.status, 400, deep.text);
  });

  it('gets 415 in another media type', async () => {
    const headers = { 'content-type': 'text/xml' };
    assert.equal((await service.call('POST', '/indexes', { headers, body: '<index/>' })).status, 415);
  });

  it('creates no index, and leaves the server healthy and its log empty', async () => {
    const { body } = await service.call('GET', '/indexes');
    assert.deepEqual(
      (body as { indexes: { name: string }[] }).indexes.map(({ name }) => name),
      ['there'],
    );
    assert.equal((await service.call('GET', '/health')).status, 200);
    assert.equal(service.process.log, '');
  });
});
