// The other endpoints of the control plane: listing, describing and deleting indexes, collections, models.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, STRANGER } from '../../control/test-support.ts';
import { FAULTS } from '../../domain/faults.ts';
import { createCollection } from './create-collection.ts';
import { createIndex } from './create-index.ts';
import { createIndexForModel } from './create-index-for-model.ts';
import { deleteCollection } from './delete-collection.ts';
import { deleteIndex } from './delete-index.ts';
import { describeCollection } from './describe-collection.ts';
import { describeIndex } from './describe-index.ts';
import { controlEndpoints } from './index.ts';
import { listCollections } from './list-collections.ts';
import { listIndexes } from './list-indexes.ts';
import { badArgument, ControlSurface, notFound, undeserializable } from './test-support.ts';

const spec = { serverless: { cloud: 'gcp', region: 'us-central1' } };

let surface: ControlSurface;

before(async () => {
  surface = await ControlSurface.make();
  await surface.call(createIndex, { body: { name: 'maps', dimension: 2, spec } });
  await surface.call(createIndex, { body: { name: 'atlas', vector_type: 'sparse', spec } });
  await surface.call(createIndex, {
    body: { name: 'pods', dimension: 2, spec: { pod: { environment: 'e' } } },
  });
});
after(() => surface.dispose());

const missing = (name: string) => notFound('index-not-found', `Index ${name} not found.`);

describe('reading and deleting indexes', () => {
  for (const version of ['2024-07', '2026-07', null] as const) {
    test(`a listed index is shown as when described, in name order (${version})`, async () => {
      const { body } = await surface.call(listIndexes, { version });
      const described = await Promise.all(
        ['atlas', 'maps', 'pods'].map(async (index_name) => {
          const reply = await surface.call(describeIndex, { version, params: { index_name } });
          return reply.body;
        }),
      );
      assert.deepEqual(body, { indexes: described });
    });
  }

  test('up to 2026-04 an index has the older keys and no others', async () => {
    const { body } = await surface.call(describeIndex, {
      version: '2026-04',
      params: { index_name: 'maps' },
    });
    const keys = [
      'deletion_protection',
      'dimension',
      'host',
      'metric',
      'name',
      'spec',
      'status',
      'tags',
      'vector_type',
    ];
    assert.deepEqual(Object.keys(body as object).sort(), keys);
  });

  test('another project sees none of them', async () => {
    assert.deepEqual((await surface.call(listIndexes, { access: STRANGER })).body, { indexes: [] });
    const call = { access: STRANGER, params: { index_name: 'maps' } };
    await surface.refuses(describeIndex, call, missing('maps'));
    await surface.refuses(deleteIndex, call, missing('maps'));
  });

  test('404: describing or deleting an index that is not there', async () => {
    const call = { params: { index_name: 'nothing' } };
    await surface.refuses(describeIndex, call, missing('nothing'));
    await surface.refuses(deleteIndex, call, missing('nothing'));
  });

  test('a deletion is accepted without a body, and the index is then gone', async () => {
    await surface.call(createIndex, { body: { name: 'old', dimension: 2, spec } });
    const call = { params: { index_name: 'old' } };
    assert.deepEqual(await surface.call(deleteIndex, call), { status: 202 });
    await eventually(() =>
      surface.call(describeIndex, call).then(
        () => false,
        () => true,
      ),
    );
    await surface.refuses(describeIndex, call, missing('old'));
  });

  test('403: deletion protection', async () => {
    const body = { name: 'kept', dimension: 2, spec, deletion_protection: 'enabled' };
    await surface.call(createIndex, { body });
    await surface.refuses(
      deleteIndex,
      { params: { index_name: 'kept' } },
      {
        condition: 'deletion-protected',
        status: 403,
        code: 'FORBIDDEN',
        message:
          'Deletion protection is enabled for this index. Disable deletion protection before retrying.',
      },
    );
  });
});

describe('collections', () => {
  const absent = notFound('collection-not-found', 'Collection old not found.');

  test('the list is empty', async () => {
    assert.deepEqual((await surface.call(listCollections)).body, { collections: [] });
  });

  test('404: describing or deleting one', async () => {
    const call = { params: { collection_name: 'old' } };
    await surface.refuses(describeCollection, call, absent);
    await surface.refuses(deleteCollection, call, absent);
  });

  test('400: a serverless source', () =>
    surface.refuses(
      createCollection,
      { body: { name: 'c', source: 'maps' } },
      badArgument('Index maps is a serverless index; collections are made of pod indexes only.'),
    ));

  test('a missing source is 404 since 2026-07 and 400 before', async () => {
    const body = { name: 'c', source: 'none' };
    await surface.refuses(createCollection, { body, version: '2026-07' }, missing('none'));
    await surface.refuses(
      createCollection,
      { body, version: '2026-04' },
      badArgument('Index none not found.'),
    );
  });

  test('400: a pod source, since this release makes no collections', () =>
    surface.refuses(
      createCollection,
      { body: { name: 'c', source: 'pods' } },
      {
        condition: 'collections-unavailable',
        status: 400,
        code: 'FAILED_PRECONDITION',
        message:
          'Collections are not available in this release of the server: no collection of index pods was made.',
      },
    ));

  test('a bad name is 400, a missing field 422', async () => {
    const message =
      "Name must consist of lower case alphanumeric characters or '-', and must not start or end with '-'.";
    await surface.refuses(createCollection, { body: { name: 'C', source: 'pods' } }, badArgument(message));
    const reason = 'missing field `source` at line 1 column 12';
    await surface.refuses(createCollection, { body: '{"name":"c"}' }, undeserializable(reason));
  });
});

describe('create index for a model', () => {
  const body = {
    name: 'texts',
    cloud: 'aws',
    region: 'us-east-1',
    embed: { model: 'e5', field_map: { text: 'chunk' } },
  };

  test('404: the model, since none is installed', () =>
    surface.refuses(
      createIndexForModel,
      { body },
      notFound(
        'model-not-found',
        'Model e5 not found: no embedding model of this name is installed on this server.',
      ),
    ));

  test('404: the region', () =>
    surface.refuses(
      createIndexForModel,
      { body: { ...body, region: 'x' } },
      notFound('region-not-found', 'Resource cloud: aws region: x not found.'),
    ));

  test('400: a bad name, and a field map without text', async () => {
    await surface.refuses(
      createIndexForModel,
      { body: { ...body, name: '' } },
      badArgument('Name must be 1 to 45 characters long, got 0.'),
    );
    await surface.refuses(
      createIndexForModel,
      { body: { ...body, embed: { model: 'e5', field_map: {} } } },
      badArgument('embed.field_map must map the key text to a record field.'),
    );
  });

  test('422: a missing field, and since 2026-07 an unknown one', async () => {
    await surface.refuses(
      createIndexForModel,
      { body: '{"name":"a","cloud":"aws","region":"r","embed":{"model":"e5"}}' },
      undeserializable('missing field `field_map` at line 1 column 61'),
    );
    await surface.refuses(
      createIndexForModel,
      { body: { x: 1, ...body }, version: '2026-07' },
      undeserializable(
        'unknown field `x`, expected one of `name`, `cloud`, `region`, `embed`, `schema`, `read_capacity`, `deletion_protection`, `tags` at line 1 column 6',
      ),
    );
  });
});

test('endpoint ids and addresses are unique, and every listed condition exists', () => {
  const addresses = controlEndpoints.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(addresses).size, controlEndpoints.length);
  assert.equal(new Set(controlEndpoints.map(({ id }) => id)).size, controlEndpoints.length);
  for (const { faults } of controlEndpoints) for (const name of faults) assert.ok(name in FAULTS);
});
