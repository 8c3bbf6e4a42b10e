// GET /collections/{collection_name}: no collection exists in this release.
import { fault } from '../../domain/faults.ts';
import type { ControlEndpoint } from '../endpoint.ts';
import { CollectionObject, CollectionParams } from './collection-schemas.ts';

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
  handle: async ({ params }) => {
    throw fault('collection-not-found', { name: params.collection_name ?? '' });
  },
};
