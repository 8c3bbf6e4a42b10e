// The other endpoints of the control plane: listing, describing and deleting indexes, collections, models.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, STRANGER } from '../../../app/indexes/testing/control-plane.ts';
import { FAULTS } from '../../../domain/faults.ts';
import { createCollection } from '../backups/create-collection.ts';
import { deleteCollection } from '../backups/delete-collection.ts';
import { describeCollection } from '../backups/describe-collection.ts';
import { listCollections } from '../backups/list-collections.ts';
import { controlEndpoints } from '../control-endpoints.ts';
import { badArgument, ControlSurface, notFound, undeserializable } from '../testing/control-client.ts';
import { createIndex } from './create-index.ts';
import { deleteIndex } from './delete-index.ts';
import { describeIndex } from './describe-index.ts';
import { listIndexes } from './list-indexes.ts';

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
    test(`lists indexes in name order, as they are described (${version})`, async () => {
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

  test('lists a page of indexes, of all or of those with a prefix, where one asks for it', async () => {
    const pageOf = async (query: Readonly<Record<string, string>>) => {
      const { body } = await surface.call(listIndexes, { query });
      const { indexes, pagination } = body as {
        readonly indexes: readonly { readonly name: string }[];
        readonly pagination?: { readonly next: string };
      };
      return [indexes.map(({ name }) => name).join(), pagination?.next];
    };
    assert.deepEqual(await pageOf({ limit: '2' }), ['atlas,maps', 'maps']);
    assert.deepEqual(await pageOf({ limit: '2', after: 'maps' }), ['pods', undefined]);
    assert.deepEqual(await pageOf({ limit: '1', prefix: 'ma' }), ['maps', undefined]);
    assert.deepEqual(await pageOf({ prefix: '', after: '' }), ['atlas,maps,pods', undefined]);
    await surface.refuses(
      listIndexes,
      { query: { limit: '0' } },
      badArgument('limit must be an integer from 1 to 1000'),
    );
  });

  test('shows an index with the older keys alone up to 2026-04', async () => {
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

  test('hides indexes from other projects', async () => {
    assert.deepEqual((await surface.call(listIndexes, { access: STRANGER })).body, { indexes: [] });
    const call = { access: STRANGER, params: { index_name: 'maps' } };
    await surface.refuses(describeIndex, call, missing('maps'));
    await surface.refuses(deleteIndex, call, missing('maps'));
  });

  test('responds 404 to describing or deleting an unknown index', async () => {
    const call = { params: { index_name: 'nothing' } };
    await surface.refuses(describeIndex, call, missing('nothing'));
    await surface.refuses(deleteIndex, call, missing('nothing'));
  });

  test('accepts a deletion without a body, after which the index is gone', async () => {
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

  test('responds 403 to deleting a protected index', async () => {
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

  test('lists no collections', async () => {
    assert.deepEqual((await surface.call(listCollections)).body, { collections: [] });
  });

  test('responds 404 to describing or deleting one', async () => {
    const call = { params: { collection_name: 'old' } };
    await surface.refuses(describeCollection, call, absent);
    await surface.refuses(deleteCollection, call, absent);
  });

  test('responds 400 to a serverless source', () =>
    surface.refuses(
      createCollection,
      { body: { name: 'c', source: 'maps' } },
      badArgument('Index maps is a serverless index; collections are made of pod indexes only.'),
    ));

  test('responds to a missing source with 404 since 2026-07, and with 400 before', async () => {
    const body = { name: 'c', source: 'none' };
    await surface.refuses(createCollection, { body, version: '2026-07' }, missing('none'));
    for (const version of ['2026-04', null] as const) {
      await surface.refuses(createCollection, { body, version }, badArgument('Index none not found.'));
    }
  });

  test('responds 400 to an invalid name, and 422 to a missing field', async () => {
    const message =
      "Name must consist of lower case alphanumeric characters or '-', and must not start or end with '-'.";
    await surface.refuses(createCollection, { body: { name: 'C', source: 'pods' } }, badArgument(message));
    const reason = 'missing field `source` at line 1 column 12';
    await surface.refuses(createCollection, { body: '{"name":"c"}' }, undeserializable(reason));
  });
});

test('has unique endpoint ids and addresses, and lists only faults that exist', () => {
  const addresses = controlEndpoints.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(addresses).size, controlEndpoints.length);
  assert.equal(new Set(controlEndpoints.map(({ id }) => id)).size, controlEndpoints.length);
  for (const { faults } of controlEndpoints) for (const name of faults) assert.ok(name in FAULTS);
});
