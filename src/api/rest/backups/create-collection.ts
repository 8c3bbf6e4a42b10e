// POST /collections: starts a collection of a pod index.
import { isAtLeast } from '../../../domain/api-version.ts';
import { Fault, invalid } from '../../../domain/faults.ts';
import { checkName } from '../../../domain/names.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { Name } from '../indexes/body-parts.ts';
import { deserialize } from '../indexes/deserialize.ts';
import { CollectionObject } from './collection-schemas.ts';
import { collectionToWire } from './collection-wire.ts';

const Body = Type.Object(
  {
    name: Name,
    source: Type.String({ description: 'Name of a pod index.' }),
  },
  { title: 'CreateCollectionRequest', examples: [{ name: 'books-copy', source: 'books' }] },
);

async function handle(call: ControlCall): Promise<Reply> {
  const { access, version, services } = call;
  const { name, source } = deserialize(Body, call);
  checkName(name);
  try {
    const collection = await services.collections.create(access, name, source);
    return { status: 201, body: collectionToWire(collection) };
  } catch (error) {
    // A missing source is 404 since 2026-07; before, it was an invalid argument.
    const isMissing = error instanceof Fault && error.condition === 'index-not-found';
    throw isMissing && !isAtLeast(version, '2026-07') ? invalid(error.message) : error;
  }
}

export const createCollection: ControlEndpoint = {
  id: 'create_collection',
  method: 'POST',
  path: '/collections',
  tag: 'Collections',
  summary: 'Create a collection',
  description:
    'Stores a consistent state of a pod index. The collection is Initializing at first; until it is Ready, the index cannot be deleted.',
  since: '2024-04',
  permission: 'control_plane::collections::create',
  errors: 'standard',
  body: Body,
  success: { status: 201, description: 'The new collection.', schema: CollectionObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'index-not-found',
    'index-not-ready',
    'name-taken',
  ],
  handle,
};
