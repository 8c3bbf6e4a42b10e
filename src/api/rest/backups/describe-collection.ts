// GET /collections/{collection_name}: describes a collection.
import type { ControlEndpoint } from '../../endpoint.ts';
import { CollectionObject, CollectionParams } from './collection-schemas.ts';
import { collectionToWire } from './collection-wire.ts';

export const describeCollection: ControlEndpoint = {
  id: 'describe_collection',
  method: 'GET',
  path: '/collections/{collection_name}',
  tag: 'Collections',
  summary: 'Describe a collection',
  since: '2024-04',
  permission: 'control_plane::collections::describe',
  errors: 'standard',
  params: CollectionParams,
  success: { status: 200, description: 'The collection.', schema: CollectionObject },
  faults: ['collection-not-found'],
  handle: async ({ access, params, services }) => {
    const collection = await services.collections.describe(access, params.collection_name ?? '');
    return { status: 200, body: collectionToWire(collection) };
  },
};
