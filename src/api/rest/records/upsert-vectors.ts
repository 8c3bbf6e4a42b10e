// POST /vectors/upsert: inserts or replaces whole records, all or none.
import { invalid } from '../../../domain/faults.ts';
import { UPSERT_RECORDS_MAX } from '../../../domain/limits.ts';
import { readRecord } from '../../../domain/records/vector-record.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { writeReply } from './freshness.ts';
import { parseVectorBody, type VectorLayout } from './parse-vector-body.ts';
import { optionalArray } from './request-fields.ts';
import { NamespaceName, RecordInput } from './schemas.ts';

/** {"vectors": [{"values": [...]}]} */
const VALUES: VectorLayout = {
  depth: 3,
  field: 'values',
  parents: ({ vectors }) => (Array.isArray(vectors) ? vectors : []),
};

export const upsertVectors: DataEndpoint = {
  id: 'upsert_vectors',
  method: 'POST',
  path: '/vectors/upsert',
  tag: 'Vectors',
  summary: 'Upsert vectors',
  description:
    'Inserts or replaces whole records. Of records with the same id, the last one wins. Creates the namespace.',
  since: '2024-04',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::write',
  errors: 'both',
  queue: 'write',
  aliasRefusal: 'name-in-use-by-alias',
  body: Type.Object(
    {
      vectors: Type.Array(RecordInput, { minItems: 1, maxItems: UPSERT_RECORDS_MAX }),
      namespace: Type.Optional(NamespaceName),
    },
    { title: 'UpsertRequest' },
  ),
  success: {
    status: 200,
    description: 'Stored.',
    schema: Type.Object({ upsertedCount: Type.Integer({ examples: [1] }) }),
  },
  faults: [
    'name-in-use-by-alias',
    'invalid-argument',
    'body-not-json',
    'request-too-big',
    'dimension-mismatch',
    'zero-vector',
    'empty-sparse-vector',
    'bad-metadata-value',
    'metadata-too-big',
    'storage-full',
  ],
  handle: async ({ namespaces, body, index, store }) => {
    const request = parseVectorBody(body, VALUES);
    const namespace = namespaces.read(request.namespace);
    const vectors = optionalArray(request, 'vectors') ?? [];
    if (vectors.length < 1 || vectors.length > UPSERT_RECORDS_MAX) {
      throw invalid(`vectors must hold 1 to ${UPSERT_RECORDS_MAX} records, got ${vectors.length}`);
    }
    const records = vectors.map((vector) => readRecord(vector, index));
    const lsn = await store.upsert(namespace.stored, records);
    return writeReply(index, lsn, { upsertedCount: records.length });
  },
};
