// POST /records/namespaces/{namespace}/map: has the map of a namespace made.
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { MAP_CALL, MapObject, mapBody, namespaceOfPath } from './map-call.ts';

export const makeMap: BulkEndpoint = {
  ...MAP_CALL,
  id: 'make_map',
  method: 'POST',
  summary: 'Make the map of a namespace',
  description:
    'Lays the records out in the plane so that those with similar vectors lie together, in the background. Does ' +
    'nothing while the map is up to date or being made. An extension of this server.',
  success: { status: 202, description: 'The map, and the progress of the new one.', schema: MapObject },
  faults: ['invalid-argument', 'namespace-not-found'],
  handle: async (call) => {
    const namespace = namespaceOfPath(call);
    return { status: 202, body: mapBody(namespace, await call.services.maps.make(call.index, namespace)) };
  },
};
