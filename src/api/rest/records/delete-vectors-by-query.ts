// DELETE /vectors/delete: the older form of deletion, with all parameters in the query string.
import { DELETE_IDS_MAX } from '../../../domain/limits.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { DELETE_FAULTS, deleteSelected } from './delete-vectors.ts';
import { queryBoolean, queryList, queryString } from './request-fields.ts';
import { Empty, NamespaceName, RecordId } from './schemas.ts';

export const deleteVectorsByQuery: DataEndpoint = {
  id: 'delete_vectors_by_query',
  method: 'DELETE',
  path: '/vectors/delete',
  tag: 'Vectors',
  summary: 'Delete vectors, by query string',
  description: 'Give exactly one of ids and deleteAll. POST also accepts filters.',
  since: '2024-04',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::write',
  errors: 'both',
  queue: 'write',
  aliasRefusal: 'write-to-alias',
  query: Type.Object({
    ids: Type.Optional(Type.Array(RecordId, { minItems: 1, maxItems: DELETE_IDS_MAX })),
    deleteAll: Type.Optional(Type.Boolean({ default: false })),
    namespace: Type.Optional(NamespaceName),
  }),
  success: { status: 200, description: 'Deleted.', schema: Empty },
  faults: DELETE_FAULTS,
  handle: async (call) =>
    deleteSelected(call, {
      namespace: queryString(call.query, 'namespace'),
      ids: queryList(call.query, 'ids'),
      deleteAll: queryBoolean(call.query, 'deleteAll'),
      filter: undefined,
    }),
};
