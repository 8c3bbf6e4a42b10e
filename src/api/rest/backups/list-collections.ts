// GET /collections: lists the collections of the key's project, ordered by name.
import type { ControlEndpoint } from '../../endpoint.ts';
import { CollectionList } from './collection-schemas.ts';
import { collectionToWire } from './collection-wire.ts';

export const listCollections: ControlEndpoint = {
  id: 'list_collections',
  method: 'GET',
  path: '/collections',
  tag: 'Collections',
  summary: 'List collections',
  since: '2024-04',
  permission: 'control_plane::collections::list',
  errors: 'standard',
  success: { status: 200, description: 'The collections.', schema: CollectionList },
  faults: [],
  handle: async ({ access, services }) => {
    const collections = await services.collections.list(access);
    return { status: 200, body: { collections: collections.map(collectionToWire) } };
  },
};
