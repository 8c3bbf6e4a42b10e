// GET /collections: the collections of the key's project, of which this release makes none.
import type { ControlEndpoint } from '../endpoint.ts';
import { CollectionList } from './collection-schemas.ts';

export const listCollections: ControlEndpoint = {
  id: 'list_collections',
  method: 'GET',
  path: '/collections',
  tag: 'Collections',
  summary: 'List collections',
  since: '2024-04',
  permission: 'control_plane::collections::list',
  errors: 'standard',
  success: { status: 200, description: 'The collections. Empty in this release.', schema: CollectionList },
  faults: [],
  handle: async () => ({ status: 200, body: { collections: [] } }),
};
