// Create index with the body since 2026-07: what it makes, and every way it is refused.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { STRANGER } from '../../../app/indexes/testing/control-plane.ts';
import { SYSTEM } from '../../../domain/administration/audit.ts';
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

const VALUES = { _values: { type: 'dense_vector', dimension: 3, metric: 'euclidean' } };
const SPARSE_FIELD = { _sparse_values: { type: 'sparse_vector', description: null } };

let surface: ControlSurface;

before(async () => {
  surface = await ControlSurface.make();
});
after(() => surface.dispose());

describe('create index, 2026-07 body', () => {
  test('shows a dense index in both formats at once', async () => {
    const name = newName();
    const body = {
      name,
      schema: { fields: VALUES },
      deployment: { deployment_type: 'managed', ...SERVERLESS.serverless },
    };
    assert.deepEqual(await surface.created(body, '2026-07'), {
      name,
      vector_type: 'dense',
      metric: 'euclidean',
      dimension: 3,
      status: { ready: true, state: 'Ready' },
      spec: { serverless: { ...SERVERLESS.serverless, read_capacity: ON_DEMAND_ANSWER } },
      deletion_protection: 'disabled',
      tags: null,
      deployment: { deployment_type: 'managed', ...SERVERLESS.serverless, environment: 'us-east-1-aws' },
      read_capacity: ON_DEMAND_ANSWER,
      schema: { fields: { _values: { ...VALUES._values, description: null }, ...SPARSE_FIELD } },
    });
  });

  test('creates the same dense index with both reserved fields', async () => {
    const fields = { ...VALUES, _sparse_values: { type: 'sparse_vector' } };
    const { vector_type, dimension } = await surface.created(
      { name: newName(), schema: { fields } },
      '2026-07',
    );
    assert.deepEqual({ vector_type, dimension }, { vector_type: 'dense', dimension: 3 });
  });

  test('creates a sparse index with one field and without a dimension', async () => {
    const body = { name: newName(), schema: { fields: { _sparse_values: { type: 'sparse_vector' } } } };
    const index = await surface.created(body, null);
    assert.deepEqual(index.schema, { fields: SPARSE_FIELD });
    assert.equal('dimension' in index, false);
    assert.equal(index.metric, 'dotproduct');
  });

  test('generates a missing name, and uses the default region without a deployment', async () => {
    const index = await surface.created({ schema: { fields: VALUES } }, '2026-07');
    assert.match(String(index.name), /^index-[0-9a-z]{8}$/);
    assert.deepEqual(index.spec, {
      serverless: { ...SERVERLESS.serverless, read_capacity: ON_DEMAND_ANSWER },
    });
  });

  test('shows a metadata schema of the older body as filterable fields', async () => {
    const schema = { fields: { genre: { filterable: true } } };
    const body = {
      name: newName(),
      dimension: 3,
      spec: { serverless: { ...SERVERLESS.serverless, schema } },
    };
    const { fields } = (await surface.created(body, '2026-07')).schema as { fields: Record<string, unknown> };
    assert.deepEqual(Object.keys(fields), ['_values', '_sparse_values', 'genre']);
    assert.deepEqual(fields.genre, { filterable: true });
  });

  test('requires explicit read capacity for a byoc index', async () => {
    const deployment = { deployment_type: 'byoc', environment: 'mine' };
    const body = { name: newName(), schema: { fields: VALUES }, deployment };
    const index = await surface.created({ ...body, read_capacity: DEDICATED }, '2026-07');
    assert.deepEqual(index.deployment, deployment);
    assert.deepEqual(index.read_capacity, DEDICATED_ANSWER);
    await surface.refuses(
      createIndex,
      { body },
      badArgument('byoc indexes require read_capacity of mode Dedicated.'),
    );
  });

  test('responds 412 to full-text fields in a project that enforces encryption with own keys', async () => {
    const { organizationId, projectId: id } = STRANGER;
    const { projects } = surface.host.plane.catalog.administration;
    await projects.update({ organizationId, id }, { forceEncryptionWithCmek: true }, SYSTEM);
    const body = { schema: { fields: { title: { type: 'string', full_text_search: {} } } } };
    await surface.refuses(
      createIndex,
      { body, access: STRANGER },
      {
        condition: 'full-text-in-cmek-project',
        status: 412,
        code: 'FAILED_PRECONDITION',
        message:
          'Index creation failed. Indexes with full_text_search fields are not supported in CMEK-encrypted projects',
      },
    );
  });

  test('accepts tag values with any printable characters since 2026-07 only', async () => {
    const body = { schema: { fields: VALUES }, tags: { note: 'a/b (c)' } };
    assert.deepEqual((await surface.created(body, '2026-07')).tags, body.tags);
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
      "Field 'genre': type float cannot be declared in a schema, which holds only fields to search: dense_vector, sparse_vector, string with full_text_search, embed or sparse_embed.",
    ],
    [
      { _values: dense, genre: { type: 'float', filterable: true } },
      "Field 'genre': type float cannot be declared in a schema, which holds only fields to search: dense_vector, sparse_vector, string with full_text_search, embed or sparse_embed.",
    ],
    [
      {
        _values: dense,
        text: { type: 'semantic_text', model: 'multilingual-e5-large', read_parameters: {} },
      },
      "Field 'text': type semantic_text cannot be declared in a schema, which holds only fields to search: dense_vector, sparse_vector, string with full_text_search, embed or sparse_embed.",
    ],
    [
      { _values: dense, genre: { type: 'string', filterable: true, full_text_search: null } },
      "Field 'genre': type string without full_text_search cannot be declared in a schema, which holds only fields to search: dense_vector, sparse_vector, string with full_text_search, embed or sparse_embed.",
    ],
    [
      { _values: dense, genre: { type: 'string' } },
      "Field 'genre': type string without full_text_search cannot be declared in a schema, which holds only fields to search: dense_vector, sparse_vector, string with full_text_search, embed or sparse_embed.",
    ],
    [{ '': dense }, 'Schema field names must not be empty.'],
    [{ ['é'.repeat(33)]: dense }, 'Schema field names must be at most 64 bytes long.'],
    [{ $a: dense }, "Field '$a': schema field names must not start with '$'."],
    [{ _a: dense }, "Field '_a': names that start with '_' are reserved."],
    [{ _values: sparse }, "Field '_values' must be a dense_vector."],
    [{ _sparse_values: dense }, "Field '_sparse_values' must be a sparse_vector."],
    [{ _values: { ...dense, description: 'x' } }, "Field '_values' takes no description."],
    [
      { _values: { ...dense, full_text_search: { language: 'en' } } },
      "Field '_values': full_text_search belongs to string fields only.",
    ],
    [
      { _sparse_values: { ...sparse, embed: {} } },
      "Field '_sparse_values': embed belongs to string fields only.",
    ],
    [
      { a: dense, b: dense },
      'Schema must contain at most one dense_vector field; a string field with embed counts as one.',
    ],
    [
      { a: sparse, b: sparse },
      'Schema must contain at most one sparse_vector field; a string field with sparse_embed counts as one.',
    ],
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
      { _values: { ...dense, filterable: true } },
      "Field '_values': filterable cannot be combined with a search field.",
    ],
  ];
  for (const [fields, message] of badSchemas) {
    test(`responds 400: ${message} ${JSON.stringify(fields).slice(0, 60)}`, () =>
      surface.refuses(createIndex, { body: { schema: { fields } } }, badArgument(message)));
  }

  test('responds 400 to more full-text fields than a schema can have', () => {
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
      { deployment: { deployment_type: 'pod', environment: 'e', pod_type: 'p1.x1', replicas: 1, shards: 1 } },
      'Pod indexes cannot be created with a deployment; send a spec instead.',
    ],
    [
      { deployment: { deployment_type: 'byoc', environment: '' } },
      'deployment.environment must not be empty.',
    ],
    ...(['embed', 'sparse_embed'] as const).map((key): readonly [object, string] => [
      {
        schema: { fields: { plot: { type: 'string', [key]: {} } } },
        deployment: { deployment_type: 'byoc', environment: 'mine' },
      },
      'byoc indexes cannot have string fields with embed or sparse_embed.',
    ]),
    [{ metric: 'cosine' }, 'The body mixes two forms: metric cannot be combined with schema.'],
  ];
  for (const [changes, message] of others) {
    test(`responds 400: ${message}`, () => {
      const read_capacity = DEDICATED;
      const body = { schema: { fields: VALUES }, read_capacity, ...changes };
      return surface.refuses(createIndex, { body }, badArgument(message));
    });
  }

  test('responds 404 to a region that the server does not offer', () =>
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

  test('responds 422 to missing and unknown fields', async () => {
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
        '{"schema":{"fields":{"_values":{"type":"dense_vector","dimension":3,"metric":"cosine","filterables":true}}}}',
        'unknown field `filterables`, expected one of `type`, `dimension`, `metric`, `full_text_search`, `embed`, `sparse_embed`, `store_text`, `filterable`, `description` at line 1 column 104',
      ],
      ['{"schema":{"fields":[]}}', 'invalid type: sequence, expected a map at line 1 column 22'],
      ['{"schema":null}', 'invalid type: null, expected a map at line 1 column 14'],
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
