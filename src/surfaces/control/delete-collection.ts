// DELETE /collections/{collection_name}: no collection exists in this release.
import { fault } from '../../domain/faults.ts';
import type { ControlEndpoint } from '../endpoint.ts';
import { CollectionParams } from './collection-schemas.ts';

export const deleteCollection: ControlEndpoint = {
  id: 'delete_collection',
  method: 'DELETE',
  path: '/collections/{collection_name}',
  tag: 'Collections',
  summary: 'Delete a collection',
  since: '2024-04',
  permission: 'control_plane::collections::delete',
  errors: 'standard',
  params: CollectionParams,
  success: { status: 202, description: 'The deletion has begun.' },
  faults: ['collection-not-found'],
  handle: async ({ params }) => {
    throw fault('collection-not-found', { name: params.collection_name ?? '' });
  },
};
