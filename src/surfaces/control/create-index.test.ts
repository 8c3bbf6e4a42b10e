// Create index: what each body makes, as each version sees it, and every way it is refused.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { OWNER, STRANGER } from '../../control/test-support.ts';
import type { RequestedVersion } from '../../domain/api-version.ts';
import { createIndex } from './create-index.ts';
import { badArgument, ControlSurface, notFound, undeserializable } from './test-support.ts';

const ON_DEMAND = {
  mode: 'OnDemand',
  status: { state: 'Ready', current_replicas: null, current_shards: null },
};
const SERVERLESS = { serverless: { cloud: 'aws', region: 'us-east-1' } };
const DEDICATED = {
  mode: 'Dedicated',
  dedicated: { node_type: 'b1', scaling: 'Manual', manual: { replicas: 2, shards: 1 } },
};
const DEDICATED_READY = { ...DEDICATED, status: { state: 'Ready', current_replicas: 2, current_shards: 1 } };
const VALUES = { _values: { type: 'dense_vector', dimension: 3, metric: 'euclidean' } };
const SPARSE_FIELD = { _sparse_values: { type: 'sparse_vector', description: null } };

let surface: ControlSurface;
let names = 0;

function newName(): string {
  names += 1;
  return `index-${names}`;
}

async function created(body: object, version: RequestedVersion): Promise<Record<string, unknown>> {
  const reply = await surface.call(createIndex, { body, version });
  const { host, ...rest } = reply.body as Record<string, unknown>;
  assert.match(String(host), /^http:\/\/localhost:50\d\d$/);
  // The range of ports is small: make room for the next.
  await surface.indexes.remove(OWNER, String(rest.name));
  return rest;
}

before(async () => {
  surface = await ControlSurface.make();
});
after(() => surface.dispose());

describe('create index, older body', () => {
  test('a dense serverless index takes its defaults', async () => {
    const name = newName();
    assert.deepEqual(await created({ name, dimension: 3, spec: SERVERLESS }, '2025-10'), {
      name,
      vector_type: 'dense',
      metric: 'cosine',
      dimension: 3,
      status: { ready: true, state: 'Ready' },
      spec: { serverless: { ...SERVERLESS.serverless, read_capacity: ON_DEMAND } },
      deletion_protection: 'disabled',
      tags: null,
    });
  });

  test('a sparse index has no dimension, and the metric dotproduct', async () => {
    const name = newName();
    const { dimension, metric, vector_type } = await created(
      { name, vector_type: 'sparse', spec: SERVERLESS },
      '2025-01',
    );
    assert.deepEqual(
      { dimension, metric, vector_type },
      {
        dimension: undefined,
        metric: 'dotproduct',
        vector_type: 'sparse',
      },
    );
  });

  test('metadata schema, read capacity, tags and protection come back as given', async () => {
    const schema = { fields: { genre: { filterable: true } } };
    const serverless = { ...SERVERLESS.serverless, read_capacity: DEDICATED, schema };
    const body = {
      name: newName(),
      dimension: 3,
      metric: 'dotproduct',
      spec: { serverless },
      tags: { a: 'b', c: '' },
    };
    const index = await created(body, '2026-04');
    assert.deepEqual(index.spec, { serverless: { ...serverless, read_capacity: DEDICATED_READY } });
    assert.deepEqual(index.tags, { a: 'b' });
    assert.equal(index.metric, 'dotproduct');
  });

  test('a pod index has counts and no read capacity', async () => {
    const pod = {
      environment: 'us-east1-gcp',
      pod_type: 'p1',
      replicas: 2,
      shards: 3,
      metadata_config: { indexed: ['g'] },
    };
    const body = { name: newName(), dimension: 3, spec: { pod } };
    assert.deepEqual((await created(body, '2024-07')).spec, { pod: { ...pod, pod_type: 'p1.x1', pods: 6 } });
    const newer = await created({ ...body, name: newName() }, null);
    const { metadata_config, ...described } = pod;
    assert.deepEqual(newer.deployment, { deployment_type: 'pod', ...described, pod_type: 'p1.x1' });
    assert.equal('read_capacity' in newer, false);
  });

  test('pods alone count shards', async () => {
    const body = { name: newName(), dimension: 3, spec: { pod: { environment: 'e', pods: 2 } } };
    assert.deepEqual((await created(body, null)).spec, {
      pod: { environment: 'e', pod_type: 'p1.x1', replicas: 1, shards: 2, pods: 2 },
    });
  });

  test('a byoc index is shown with exactly its keys', async () => {
    const body = { name: newName(), dimension: 3, spec: { byoc: { environment: 'mine' } } };
    assert.deepEqual((await created(body, '2025-10')).spec, {
      byoc: { environment: 'mine', read_capacity: ON_DEMAND },
    });
  });

  test('fields the older body does not know and nulls in optional ones are ignored', async () => {
    const body = { name: newName(), dimension: 3, metric: null, spec: SERVERLESS, colour: 'red', tags: null };
    assert.equal((await created(body, '2025-01')).metric, 'cosine');
  });

  const body = (changes: object) => ({ name: 'fresh', dimension: 3, spec: SERVERLESS, ...changes });
  const spec = (serverless: object) =>
    body({ spec: { serverless: { ...SERVERLESS.serverless, ...serverless } } });
  const pod = (changes: object) => body({ spec: { pod: { environment: 'e', ...changes } } });
  const badName =
    "Name must consist of lower case alphanumeric characters or '-', and must not start or end with '-'.";
  const oneSpec = 'spec must contain exactly one of serverless, pod or byoc.';
  const badArguments: readonly (readonly [object, string])[] = [
    [body({ name: 'Books' }), badName],
    [body({ name: 'a_b' }), badName],
    [body({ name: '-a' }), badName],
    [body({ name: '' }), 'Name must be 1 to 45 characters long, got 0.'],
    [body({ name: 'a'.repeat(46) }), 'Name must be 1 to 45 characters long, got 46.'],
    [body({ metric: 'manhattan' }), 'Metric must be cosine, euclidean, or dotproduct.'],
    [body({ vector_type: 'wide' }), 'vector_type must be dense or sparse.'],
    [body({ dimension: null }), 'dimension is required for a dense index.'],
    [body({ dimension: 0 }), 'dimension must be an integer from 1 to 20000, got 0.'],
    [body({ dimension: 20001 }), 'dimension must be an integer from 1 to 20000, got 20001.'],
    [body({ vector_type: 'sparse' }), 'dimension must not be given for a sparse index.'],
    [
      body({ vector_type: 'sparse', dimension: null, metric: 'cosine' }),
      'Metric must be dotproduct for a sparse index.',
    ],
    [body({ deletion_protection: 'on' }), 'deletion_protection must be enabled or disabled.'],
    [body({ spec: {} }), oneSpec],
    [body({ spec: { ...SERVERLESS, byoc: { environment: 'e' } } }), oneSpec],
    [body({ spec: { byoc: { environment: '' } } }), 'environment must not be empty.'],
    [body({ tags: { 'a b': 'c' } }), "Tag key 'a b' must consist of alphanumeric characters, '_' or '-'."],
    [body({ schema: {} }), 'The body mixes two forms: dimension, spec cannot be combined with schema.'],
    [
      spec({ schema: { fields: { g: { filterable: false } } } }),
      "Field 'g' is set to filterable: false. Only filterable: true is supported.",
    ],
    [
      spec({ schema: { fields: { _g: { filterable: true } } } }),
      "Schema field names must not start with '_', got '_g'",
    ],
    [spec({ read_capacity: { mode: 'Fast' } }), 'read_capacity.mode must be OnDemand or Dedicated.'],
    [
      spec({ read_capacity: { ...DEDICATED, mode: 'OnDemand' } }),
      'read_capacity of mode OnDemand takes no dedicated key.',
    ],
    [
      spec({ read_capacity: { mode: 'Dedicated' } }),
      'read_capacity.dedicated.scaling is required with manual.',
    ],
    [
      spec({ read_capacity: { mode: 'Dedicated', dedicated: { ...DEDICATED.dedicated, node_type: 'c1' } } }),
      'read_capacity.dedicated.node_type must be b1 or t1.',
    ],
    [
      spec({
        read_capacity: { mode: 'Dedicated', dedicated: { ...DEDICATED.dedicated, manual: { replicas: 1 } } },
      }),
      'read_capacity.dedicated.manual.shards must be an integer of at least 1.',
    ],
    [pod({ pod_type: 'q1.x1' }), 'pod_type must be one of s1, p1, p2 followed by one of .x1, .x2, .x4, .x8.'],
    [pod({ replicas: 0 }), 'replicas must be an integer of at least 1.'],
    [pod({ replicas: 2, pods: 3 }), 'pods must be the product of replicas and shards, 2.'],
    [
      { ...pod({}), dimension: null, vector_type: 'sparse' },
      'vector_type sparse is not available for pod indexes.',
    ],
  ];
  for (const [bad, message] of badArguments) {
    test(`400: ${message} ${JSON.stringify(bad).slice(0, 90)}`, () =>
      surface.refuses(createIndex, { body: bad }, badArgument(message)));
  }

  test('404: a cloud and region the server does not offer', () =>
    surface.refuses(
      createIndex,
      { body: spec({ cloud: 'moon', region: 'crater-1' }) },
      notFound('region-not-found', 'Resource cloud: moon region: crater-1 not found.'),
    ));

  test('404: a source collection, since there is none', () =>
    surface.refuses(
      createIndex,
      { body: pod({ source_collection: 'old' }) },
      notFound('collection-not-found', 'Collection old not found.'),
    ));

  test('422: missing and mistyped fields, and unknown ones in read_capacity', async () => {
    const calls: readonly (readonly [string, string])[] = [
      ['{}', 'missing field `name` at line 1 column 2'],
      ['{"name":"a"}', 'missing field `spec` at line 1 column 12'],
      ['{"name":"a","spec":{"serverless":{"cloud":"aws"}}}', 'missing field `region` at line 1 column 48'],
      ['{"name":1,"spec":{}}', 'invalid type: integer `1`, expected a string at line 1 column 9'],
      [
        '{"name":"a","spec":{"byoc":{"environment":"e","read_capacity":{"mode":"OnDemand","x":1}}}}',
        'unknown field `x`, expected one of `mode`, `dedicated` at line 1 column 86',
      ],
    ];
    for (const [body, reason] of calls)
      await surface.refuses(createIndex, { body }, undeserializable(reason));
  });

  test('400: no body', () =>
    surface.refuses(
      createIndex,
      {},
      {
        condition: 'body-not-json',
        status: 400,
        code: 'INVALID_ARGUMENT',
        message: 'The request body is not valid JSON: EOF while parsing a value at line 1 column 0',
      },
    ));

  test('409: the name is taken in the project, and in that project only', async () => {
    const taken = body({ name: 'taken' });
    await surface.call(createIndex, { body: taken });
    const conflict = { condition: 'name-taken', status: 409, code: 'ALREADY_EXISTS' } as const;
    await surface.refuses(createIndex, { body: taken }, { ...conflict, message: 'Resource already exists.' });
    await surface.call(createIndex, { body: taken, access: STRANGER });
  });
});

describe('create index, 2026-07 body', () => {
  test('a dense index is shown in both shapes at once', async () => {
    const name = newName();
    const body = {
      name,
      schema: { fields: VALUES },
      deployment: { deployment_type: 'managed', ...SERVERLESS.serverless },
    };
    assert.deepEqual(await created(body, '2026-07'), {
      name,
      vector_type: 'dense',
      metric: 'euclidean',
      dimension: 3,
      status: { ready: true, state: 'Ready' },
      spec: { serverless: { ...SERVERLESS.serverless, read_capacity: ON_DEMAND } },
      deletion_protection: 'disabled',
      tags: null,
      deployment: { deployment_type: 'managed', ...SERVERLESS.serverless, environment: 'us-east-1-aws' },
      read_capacity: ON_DEMAND,
      schema: { fields: { _values: { ...VALUES._values, description: null }, ...SPARSE_FIELD } },
    });
  });

  test('both reserved fields make the same dense index', async () => {
    const fields = { ...VALUES, _sparse_values: { type: 'sparse_vector' } };
    const { vector_type, dimension } = await created({ name: newName(), schema: { fields } }, '2026-07');
    assert.deepEqual({ vector_type, dimension }, { vector_type: 'dense', dimension: 3 });
  });

  test('a sparse index has its one field and no dimension', async () => {
    const body = { name: newName(), schema: { fields: { _sparse_values: { type: 'sparse_vector' } } } };
    const index = await created(body, null);
    assert.deepEqual(index.schema, { fields: SPARSE_FIELD });
    assert.equal('dimension' in index, false);
    assert.equal(index.metric, 'dotproduct');
  });

  test('without a name one is made up; without a deployment it goes to the default region', async () => {
    const index = await created({ schema: { fields: VALUES } }, '2026-07');
    assert.match(String(index.name), /^index-[0-9a-z]{8}$/);
    assert.deepEqual(index.spec, { serverless: { ...SERVERLESS.serverless, read_capacity: ON_DEMAND } });
  });

  test('a metadata schema of the older body shows as filterable fields', async () => {
    const schema = { fields: { genre: { filterable: true } } };
    const body = {
      name: newName(),
      dimension: 3,
      spec: { serverless: { ...SERVERLESS.serverless, schema } },
    };
    const { fields } = (await created(body, '2026-07')).schema as { fields: Record<string, unknown> };
    assert.deepEqual(Object.keys(fields), ['_values', '_sparse_values', 'genre']);
    assert.deepEqual(fields.genre, { filterable: true });
  });

  test('a byoc index needs read capacity of its own', async () => {
    const deployment = { deployment_type: 'byoc', environment: 'mine' };
    const body = { name: newName(), schema: { fields: VALUES }, deployment };
    const index = await created({ ...body, read_capacity: DEDICATED }, '2026-07');
    assert.deepEqual(index.deployment, deployment);
    assert.deepEqual(index.read_capacity, DEDICATED_READY);
    await surface.refuses(
      createIndex,
      { body },
      badArgument('byoc indexes require read_capacity of mode Dedicated.'),
    );
  });

  test('printable tag values are for callers of 2026-07 only', async () => {
    const body = { schema: { fields: VALUES }, tags: { note: 'a/b (c)' } };
    assert.deepEqual((await created(body, '2026-07')).tags, body.tags);
    const message = "Value of tag 'note' must consist of alphanumeric characters, ';@_-.+' and spaces.";
    for (const version of ['2026-04', null] as const) {
      await surface.refuses(createIndex, { body, version }, badArgument(message));
    }
  });

  const noSearch =
    'Schema must contain at least one of the following field types: dense_vector, sparse_vector, string with full_text_search';
  const sparse = { type: 'sparse_vector' };
  const dense = VALUES._values;
  const badSchemas: readonly (readonly [object, string])[] = [
    [{}, noSearch],
    [{ genre: { type: 'string' } }, noSearch],
    [{ genre: { type: 'float' } }, noSearch],
    [
      { _values: dense, genre: { type: 'float' } },
      "Field 'genre': type float cannot be declared in a schema.",
    ],
    [
      { _values: dense, genre: { type: 'string' } },
      "Field 'genre': type string without full_text_search cannot be declared in a schema.",
    ],
    [{ '': dense }, 'Schema field names must not be empty.'],
    [{ ['é'.repeat(33)]: dense }, 'Schema field names must be at most 64 bytes long.'],
    [{ $a: dense }, "Field '$a': schema field names must not start with '$'."],
    [{ _a: dense }, "Field '_a': names that start with '_' are reserved."],
    [{ _values: sparse }, "Field '_values' must be a dense_vector."],
    [{ _sparse_values: dense }, "Field '_sparse_values' must be a sparse_vector."],
    [{ _values: { ...dense, description: 'x' } }, "Field '_values' takes no description."],
    [{ a: dense, b: dense }, 'Schema must contain at most one dense_vector field.'],
    [{ a: sparse, b: sparse }, 'Schema must contain at most one sparse_vector field.'],
    [
      { _sparse_values: { ...sparse, dimension: 3 } },
      "Field '_sparse_values': dimension and metric belong to dense_vector fields only.",
    ],
    [
      { a: { ...sparse, description: 'x'.repeat(257) } },
      "Field 'a': description must be at most 256 bytes long.",
    ],
    [
      { _values: dense, text: { type: 'string', full_text_search: {} } },
      "Field '_values' cannot be combined with fields of other names.",
    ],
    [{ _values: { ...dense, metric: 'far' } }, 'Metric must be cosine, euclidean, or dotproduct.'],
    [{ _values: { ...dense, dimension: 0 } }, 'dimension must be an integer from 1 to 20000, got 0.'],
    [
      { text: { type: 'string', full_text_search: { language: 'en' } } },
      'Document indexes, whose schema names fields of your own, are not available in this release of the server. Use _values or _sparse_values.',
    ],
  ];
  for (const [fields, message] of badSchemas) {
    test(`400: ${message} ${JSON.stringify(fields).slice(0, 60)}`, () =>
      surface.refuses(createIndex, { body: { schema: { fields } } }, badArgument(message)));
  }

  test('400: more full-text fields than a schema can have', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 101 }, (_, at) => [`t${at}`, { type: 'string', full_text_search: {} }]),
    );
    const message = 'Schema must contain at most 100 fields with full_text_search.';
    return surface.refuses(createIndex, { body: { schema: { fields } } }, badArgument(message));
  });

  const others: readonly (readonly [object, string])[] = [
    [{ cmek_id: 'key' }, 'cmek_id is not supported by this server.'],
    [
      { name: 'UP' },
      "Name must consist of lower case alphanumeric characters or '-', and must not start or end with '-'.",
    ],
    [{ deployment: { deployment_type: 'cloud' } }, 'deployment.deployment_type must be managed or byoc.'],
    [
      { deployment: { deployment_type: 'pod', environment: 'e' } },
      'Pod indexes cannot be created with a deployment; send a spec instead.',
    ],
    [
      { deployment: { deployment_type: 'byoc', environment: '' } },
      'deployment.environment must not be empty.',
    ],
    [{ metric: 'cosine' }, 'The body mixes two forms: metric cannot be combined with schema.'],
  ];
  for (const [changes, message] of others) {
    test(`400: ${message}`, () => {
      const read_capacity = DEDICATED;
      const body = { schema: { fields: VALUES }, read_capacity, ...changes };
      return surface.refuses(createIndex, { body }, badArgument(message));
    });
  }

  test('404: a region the server does not offer', () =>
    surface.refuses(
      createIndex,
      {
        body: {
          schema: { fields: VALUES },
          deployment: { deployment_type: 'managed', cloud: 'gcp', region: 'x' },
        },
      },
      notFound('region-not-found', 'Resource cloud: gcp region: x not found.'),
    ));

  test('422: missing and unknown fields', async () => {
    const calls: readonly (readonly [string, string])[] = [
      ['{}', 'missing field `schema` at line 1 column 2'],
      [
        '{"schema":{"fields":{"_values":{"type":"dense_vector","metric":"cosine"}}}}',
        'missing field `dimension` at line 1 column 72',
      ],
      [
        '{"schema":{"fields":{"_values":{"type":"dense_vector","dimension":3}}}}',
        'missing field `metric` at line 1 column 68',
      ],
      ['{"schema":{"fields":{"_values":{}}}}', 'missing field `type` at line 1 column 33'],
      ['{"schema":{"fields":{},"x":1}}', 'unknown field `x`, expected `fields` at line 1 column 28'],
      [
        '{"schema":{"fields":{"_sparse_values":{"type":"sparse_vector"}}},"deployment":{"deployment_type":"managed"}}',
        'missing field `cloud` at line 1 column 107',
      ],
      [
        '{"schema":{"fields":{}},"dimensions":3}',
        'unknown field `dimensions`, expected one of `name`, `schema`, `deployment`, `read_capacity`, `cmek_id`, `deletion_protection`, `tags` at line 1 column 38',
      ],
    ];
    for (const [body, reason] of calls) {
      await surface.refuses(createIndex, { body, version: '2026-07' }, undeserializable(reason));
    }
  });
});
