// POST /vectors/delete: deletes records by id or by filter, or all records of a namespace.

import type { VectorWriter } from '../../../app/records/record-access.ts';
import { invalid } from '../../../domain/faults.ts';
import { parseRequiredFilter } from '../../../domain/filter/parse-filter.ts';
import { DELETE_IDS_MAX } from '../../../domain/limits.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import type { DataCall, DataEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { FilterObject } from './filter-schema.ts';
import { writeReply } from './freshness.ts';
import { parseBody } from './parse-body.ts';
import { booleanField, field, optionalArray } from './request-fields.ts';
import { Empty, NamespaceName, RecordId } from './schemas.ts';

export const DELETE_FAULTS = [
  'invalid-argument',
  'write-to-alias',
  'namespace-not-found',
  'storage-full',
] as const;

export const deleteVectors: DataEndpoint = {
  id: 'delete_vectors',
  method: 'POST',
  path: '/vectors/delete',
  tag: 'Vectors',
  summary: 'Delete vectors',
  description: 'Give exactly one of ids, filter and deleteAll. Unknown ids are ignored.',
  since: '2024-04',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::write',
  errors: 'both',
  queue: 'write',
  aliasRefusal: 'write-to-alias',
  body: Type.Object(
    {
      ids: Type.Optional(Type.Array(RecordId, { minItems: 1, maxItems: DELETE_IDS_MAX })),
      deleteAll: Type.Optional(Type.Boolean({ default: false })),
      filter: Type.Optional(FilterObject),
      namespace: Type.Optional(NamespaceName),
    },
    { examples: [{ namespace: 'films', ids: ['movie-1', 'movie-2'] }] },
  ),
  success: { status: 200, description: 'Deleted.', schema: Empty },
  faults: [...DELETE_FAULTS, 'body-not-json', 'request-too-big', 'bad-filter'],
  handle: async (call) => {
    const request = parseBody(call.body);
    const ids = optionalArray(request, 'ids') ?? [];
    const filter = field(request, 'filter');
    const deleteAll = booleanField(request, 'deleteAll');
    return deleteSelected(call, { namespace: request.namespace, ids, deleteAll, filter });
  },
};

/** What to delete, unchecked. An empty list of ids and a false `deleteAll` select nothing. */
export interface DeleteSelection {
  readonly namespace: unknown;
  readonly ids: readonly unknown[];
  readonly deleteAll: boolean;
  readonly filter: unknown;
}

/** Deletes what is selected. @throws invalid-argument, bad-filter, namespace-not-found */
export async function deleteSelected(
  { namespaces, index, store }: DataCall<VectorWriter>,
  { namespace, ids, deleteAll, filter }: DeleteSelection,
): Promise<Reply> {
  const { stored } = namespaces.read(namespace);
  const selectors = [ids.length > 0, deleteAll, filter !== undefined].filter(Boolean);
  if (selectors.length !== 1) throw invalid('Give exactly one of ids, filter and deleteAll');
  if (deleteAll) return writeReply(index, await store.deleteNamespace(stored));
  if (filter !== undefined) {
    const { lsn } = await store.deleteByFilter(stored, parseRequiredFilter(filter));
    return writeReply(index, lsn);
  }
  if (ids.length > DELETE_IDS_MAX) {
    throw invalid(`ids must hold 1 to ${DELETE_IDS_MAX} ids, got ${ids.length}`);
  }
  return writeReply(index, await store.deleteIds(stored, ids.map(checkRecordId)));
}
