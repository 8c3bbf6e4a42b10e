// POST /namespaces/{namespace}/documents/delete: deletes documents by id or by a filter, or all of a namespace.
import type { Lsn, VectorWriter } from '../../../app/records/record-access.ts';
import { Fault, invalid } from '../../../domain/faults.ts';
import { parseMetadataFilter } from '../../../domain/filter/document-filter.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { DELETE_IDS_MAX } from '../../../domain/limits.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { writeReply } from '../records/freshness.ts';
import { bytesOf } from '../records/parse-body.ts';
import { documentBody } from './document-body.ts';
import { documentCall, documentNamespace, schemaOf } from './documents-endpoint.ts';
import { MetadataFilterObject } from './filter-schema.ts';
import { DocumentId } from './schemas.ts';
import { hasFilter, readIds } from './selection.ts';

export const deleteDocuments: DataEndpoint = {
  ...documentCall('delete'),
  id: 'delete_documents',
  summary: 'Delete documents',
  description: 'Give exactly one of ids, filter and delete_all. Unknown ids and namespaces are ignored.',
  permission: 'data_plane::vectors::write',
  queue: 'write',
  aliasRefusal: 'document-write-to-alias',
  body: Type.Object(
    {
      ids: Type.Optional(Type.Array(DocumentId, { minItems: 1, maxItems: DELETE_IDS_MAX })),
      filter: Type.Optional(MetadataFilterObject),
      delete_all: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false, examples: [{ ids: ['recipe-1'] }] },
  ),
  success: {
    status: 202,
    description: 'Deleted.',
    schema: Type.Object({
      matched_records: Type.Optional(
        Type.Integer({ description: 'With filter: how many were deleted.', examples: [1] }),
      ),
    }),
  },
  faults: [
    'document-write-to-alias',
    'invalid-argument',
    'body-not-json',
    'bad-filter',
    'wrong-index-kind',
    'storage-full',
  ],
  handle: async ({ namespaces, body, params, index, store }) => {
    const request = documentBody(bytesOf(body), ['ids', 'filter', 'delete_all']);
    const namespace = documentNamespace(namespaces, params).stored;
    const ids = readIds(request.ids, DELETE_IDS_MAX);
    const { delete_all: all = false } = request;
    if (typeof all !== 'boolean') throw invalid('delete_all must be a boolean');
    const isFiltered = hasFilter(request.filter);
    if ([ids !== undefined, isFiltered, all].filter(Boolean).length !== 1) {
      throw invalid('Give exactly one of ids, filter and delete_all');
    }
    const write = isFiltered
      ? () => byFilter(store, namespace, parseMetadataFilter(request.filter, schemaOf(index)))
      : async () => ({
          lsn: await (all ? store.deleteNamespace(namespace) : store.deleteIds(namespace, ids ?? [])),
          body: {},
        });
    const done = await write().catch((error: unknown) => {
      // A missing namespace has nothing to delete.
      if (error instanceof Fault && error.condition === 'namespace-not-found') return null;
      throw error;
    });
    if (done === null) return { status: 202, body: isFiltered ? { matched_records: 0 } : {} };
    return { ...writeReply(index, done.lsn, done.body), status: 202 };
  },
};

async function byFilter(
  store: VectorWriter,
  namespace: string,
  filter: Filter,
): Promise<{ readonly lsn: Lsn; readonly body: { readonly matched_records: number } }> {
  const { lsn, matched } = await store.deleteByFilter(namespace, filter);
  return { lsn, body: { matched_records: matched } };
}
