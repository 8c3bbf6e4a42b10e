// DELETE /collections/{collection_name}: accepts the deletion, which continues in the background.
import type { ControlEndpoint } from '../../endpoint.ts';
import { CollectionParams } from './collection-schemas.ts';

export const deleteCollection: ControlEndpoint = {
  id: 'delete_collection',
  method: 'DELETE',
  path: '/collections/{collection_name}',
  tag: 'Collections',
  summary: 'Delete a collection',
  description:
    'The collection is Terminating, and its name in use, until its storage is freed. Indexes being created from it are finished first.',
  since: '2024-04',
  permission: 'control_plane::collections::delete',
  errors: 'standard',
  params: CollectionParams,
  success: { status: 202, description: 'The deletion has started.' },
  faults: ['collection-not-found'],
  handle: async ({ access, params, services }) => {
    await services.collections.remove(access, params.collection_name ?? '');
    return { status: 202 };
  },
};
