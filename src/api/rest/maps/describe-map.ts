// GET /records/namespaces/{namespace}/map: the map of a namespace, and what is being done about it.
import type { BulkEndpoint } from '../import-export/bulk-endpoint.ts';
import { MAP_CALL, MapObject, mapBody, namespaceOfPath } from './map-call.ts';

export const describeMap: BulkEndpoint = {
  ...MAP_CALL,
  id: 'describe_map',
  method: 'GET',
  summary: 'Describe the map of a namespace',
  description:
    'Tells whether there is a map, which fields it has, and whether it is being made. A map that is looked at is ' +
    'renewed in the background for a day. An extension of this server.',
  success: { status: 200, description: 'The map.', schema: MapObject },
  faults: ['invalid-argument', 'namespace-not-found'],
  handle: async (call) => {
    const namespace = namespaceOfPath(call);
    return {
      status: 200,
      body: mapBody(namespace, await call.services.maps.describe(call.index, namespace)),
    };
  },
};
