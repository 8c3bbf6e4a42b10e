// Create index with the body up to 2026-04: what it makes, and every way it is refused.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { STRANGER } from '../../../app/indexes/testing/control-plane.ts';
import {
  badArgument,
  ControlSurface,
  DEDICATED,
  DEDICATED_ANSWER,
  newName,
  notFound,
  ON_DEMAND_ANSWER,
  SERVERLESS,
  undeserializable,
} from '../testing/control-client.ts';
import { createIndex } from './create-index.ts';

let surface: ControlSurface;

before(async () => {
  surface = await ControlSurface.make();
});
after(() => surface.dispose());

describe('create index, older body', () => {
  test('applies the defaults of a dense serverless index', async () => {
    const name = newName();
    assert.deepEqual(await surface.created({ name, dimension: 3, spec: SERVERLESS }, '2025-10'), {
      name,
      vector_type: 'dense',
      metric: 'cosine',
      dimension: 3,
      status: { ready: true, state: 'Ready' },
      spec: { serverless: { ...SERVERLESS.serverless, read_capacity: ON_DEMAND_ANSWER } },
      deletion_protection: 'disabled',
      tags: null,
    });
  });

  test('creates a sparse index without a dimension, with metric dotproduct', async () => {
    const name = newName();
    const { dimension, metric, vector_type } = await surface.created(
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

  test('returns metadata schema, read capacity, tags and protection as given', async () => {
    const schema = { fields: { genre: { filterable: true } } };
    const serverless = { ...SERVERLESS.serverless, read_capacity: DEDICATED, schema };
    const body = {
      name: newName(),
      dimension: 3,
      metric: 'dotproduct',
      spec: { serverless },
      tags: { a: 'b', c: '' },
    };
    const index = await surface.created(body, '2026-04');
    assert.deepEqual(index.spec, { serverless: { ...serverless, read_capacity: DEDICATED_ANSWER } });
    assert.deepEqual(index.tags, { a: 'b' });
    assert.equal(index.metric, 'dotproduct');
  });

  test('shows a pod index with its counts and without read capacity', async () => {
    const pod = {
      environment: 'us-east1-gcp',
      pod_type: 'p1',
      replicas: 2,
      shards: 3,
      metadata_config: { indexed: ['g'] },
    };
    const body = { name: newName(), dimension: 3, spec: { pod } };
    assert.deepEqual((await surface.created(body, '2024-07')).spec, {
      pod: { ...pod, pod_type: 'p1.x1', pods: 6 },
    });
    const newer = await surface.created({ ...body, name: newName() }, null);
    const { metadata_config, ...described } = pod;
    assert.deepEqual(newer.deployment, { deployment_type: 'pod', ...described, pod_type: 'p1.x1' });
    assert.equal('read_capacity' in newer, false);
  });

  test('takes the number of pods as the number of shards if nothing else is given', async () => {
    const body = { name: newName(), dimension: 3, spec: { pod: { environment: 'e', pods: 2 } } };
    assert.deepEqual((await surface.created(body, null)).spec, {
      pod: { environment: 'e', pod_type: 'p1.x1', replicas: 1, shards: 2, pods: 2 },
    });
  });

  test('shows a byoc index with exactly its keys', async () => {
    const body = { name: newName(), dimension: 3, spec: { byoc: { environment: 'mine' } } };
    assert.deepEqual((await surface.created(body, '2025-10')).spec, {
      byoc: { environment: 'mine', read_capacity: ON_DEMAND_ANSWER },
    });
  });

  test('ignores fields that the older body does not know, and nulls in optional ones', async () => {
    const body = { name: newName(), dimension: 3, metric: null, spec: SERVERLESS, colour: 'red', tags: null };
    assert.equal((await surface.created(body, '2025-01')).metric, 'cosine');
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
    [
      body({ deletion_protection: 'on' }),
      'Invalid deletion_protection, value should be either enabled or disabled.',
    ],
    [body({ spec: {} }), oneSpec],
    [body({ spec: { ...SERVERLESS, byoc: { environment: 'e' } } }), oneSpec],
    [body({ spec: { byoc: { environment: '' } } }), 'environment must not be empty.'],
    [
      body({ spec: { byoc: { environment: 'e'.repeat(129) } } }),
      'environment must consist of at most 128 visible ASCII characters.',
    ],
    [
      body({ spec: { pod: { environment: '\ud800' } } }),
      'environment must consist of at most 128 visible ASCII characters.',
    ],
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
      'read_capacity of mode Dedicated lacks these parts of dedicated: node_type, scaling, manual.replicas, manual.shards.',
    ],
    [
      spec({ read_capacity: { mode: 'Dedicated', dedicated: { ...DEDICATED.dedicated, node_type: 'c1' } } }),
      'read_capacity.dedicated.node_type must be b1 or t1.',
    ],
    [
      spec({
        read_capacity: { mode: 'Dedicated', dedicated: { ...DEDICATED.dedicated, manual: { replicas: 1 } } },
      }),
      'read_capacity of mode Dedicated lacks these parts of dedicated: manual.shards.',
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
    test(`responds 400: ${message} ${JSON.stringify(bad).slice(0, 90)}`, () =>
      surface.refuses(createIndex, { body: bad }, badArgument(message)));
  }

  test('responds 404 to a cloud and region that the server does not offer', () =>
    surface.refuses(
      createIndex,
      { body: spec({ cloud: 'moon', region: 'crater-1' }) },
      notFound('region-not-found', 'Resource cloud: moon region: crater-1 not found.'),
    ));

  test('responds 400 to an unknown source collection before any other mistake of the body', async () => {
    const absent = {
      condition: 'source-collection-not-found',
      status: 400,
      code: 'INVALID_ARGUMENT',
      message: 'Resource old not found',
    } as const;
    const bodies = [
      pod({ source_collection: 'old' }),
      pod({ source_collection: 'old', pod_type: 'q9', replicas: 0 }),
      { spec: { pod: { source_collection: 'old' } } },
      { name: '-', dimension: 'x', spec: { pod: { source_collection: 'old' }, serverless: {} }, schema: {} },
      spec({ source_collection: 'old', cloud: 'moon', region: 'crater-1' }),
    ];
    for (const body of bodies) await surface.refuses(createIndex, { body }, absent);
    await surface.refuses(
      createIndex,
      { body: { spec: { pod: { source_collection: 5 } } } },
      {
        condition: 'body-not-deserializable',
        status: 422,
        code: 'UNPROCESSABLE_ENTITY',
        message:
          'Failed to deserialize the JSON body into the target type: ' +
          'invalid type: integer `5`, expected a string at line 1 column 37',
      },
    );
  });

  test('responds 422 to missing and mistyped fields, and to unknown ones in read_capacity', async () => {
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

  test('responds 400 to a request without a body', () =>
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

  test('responds 409 to a name that is taken in the same project only', async () => {
    const taken = body({ name: 'taken' });
    await surface.call(createIndex, { body: taken });
    const conflict = { condition: 'name-taken', status: 409, code: 'ALREADY_EXISTS' } as const;
    await surface.refuses(createIndex, { body: taken }, { ...conflict, message: 'Resource already exists.' });
    await surface.call(createIndex, { body: taken, access: STRANGER });
  });
});
