// GET /vectors/fetch: whole records by id.

import type { StoredRecord } from '../../../app/records/record-access.ts';
import { invalid } from '../../../domain/faults.ts';
import { FETCH_IDS_MAX } from '../../../domain/limits.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { queryBoolean, queryList, queryString } from './request-fields.ts';
import { NamespaceEcho, NamespaceName, RecordId, RecordsById, Usage } from './schemas.ts';

export const fetchVectors: DataEndpoint = {
  id: 'fetch_vectors',
  method: 'GET',
  path: '/vectors/fetch',
  tag: 'Vectors',
  summary: 'Fetch vectors by id',
  description: 'Unknown ids are left out. The ids must not contain spaces, unless allow_spaces is true.',
  since: '2024-04',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::read',
  errors: 'both',
  queue: 'read',
  query: Type.Object({
    ids: Type.Array(RecordId, { minItems: 1, maxItems: FETCH_IDS_MAX, description: 'Repeated once per id.' }),
    namespace: Type.Optional(NamespaceName),
    without_values: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Returns only metadata, with empty `values`. An extension of this server.',
      }),
    ),
    allow_spaces: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Takes every id that a record may have. An extension of this server.',
      }),
    ),
  }),
  success: {
    status: 200,
    description: 'The records found, by id.',
    schema: Type.Object({
      vectors: RecordsById,
      namespace: NamespaceEcho,
      usage: Usage,
    }),
  },
  faults: ['invalid-argument', 'reads-paused'],
  handle: async ({ namespaces, query, body, store }) => {
    const namespace = namespaces.read(queryString(query, 'namespace'));
    const ids = queryList(query, 'ids');
    if (ids.length < 1 || ids.length > FETCH_IDS_MAX) {
      throw invalid(`ids must hold 1 to ${FETCH_IDS_MAX} ids, got ${ids.length}`);
    }
    // Only those of a URL must not contain spaces; messages of gRPC come converted.
    const mayHaveSpaces = queryBoolean(query, 'allowSpaces') || !(body instanceof Uint8Array);
    const checkId = mayHaveSpaces ? checkRecordId : checkFetchId;
    const unique = [...new Set(ids.map(checkId))];
    const isMetadataOnly = queryBoolean(query, 'withoutValues');
    const records = await store.fetch(namespace.stored, unique);
    const fetched = isMetadataOnly ? records.map(withoutValues) : records;
    return { status: 200, records: { fetched, namespace: namespace.echo } };
  },
};

function withoutValues({ id, metadataJson }: StoredRecord): StoredRecord {
  return { id, metadataJson, values: null, sparse: null };
}

function checkFetchId(value: string): string {
  if (value.includes(' ')) throw invalid('The ids of a fetch must not contain spaces');
  return checkRecordId(value);
}
