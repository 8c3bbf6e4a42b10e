// POST /vectors/update: changes one record by id, or merges metadata into all records that match a filter.

import type { VectorWriter } from '../../../app/records/record-access.ts';
import { invalid } from '../../../domain/faults.ts';
import { parseRequiredFilter } from '../../../domain/filter/parse-filter.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { UPDATE_BY_FILTER_RECORDS_MAX } from '../../../domain/limits.ts';
import { checkMetadata } from '../../../domain/records/metadata.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import { readVectorChange, vectorParts } from '../../../domain/records/vector-record.ts';
import type { DataCall, DataEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { FilterObject } from './filter-schema.ts';
import { writeReply } from './freshness.ts';
import { refusePods } from './index-kinds.ts';
import { parseVectorBody, type VectorLayout } from './parse-vector-body.ts';
import { booleanField, field } from './request-fields.ts';
import { Metadata, NamespaceName, RecordId, SparseValues, Values } from './schemas.ts';

/** {"values": [...]} */
const VALUES: VectorLayout = { depth: 1, field: 'values', parents: (body) => [body] };

export const updateVectors: DataEndpoint = {
  id: 'update_vectors',
  method: 'POST',
  path: '/vectors/update',
  tag: 'Vectors',
  summary: 'Update vectors',
  description:
    'Give exactly one of id and filter. With an id, vectors replace the stored ones and setMetadata merges field by ' +
    'field; an unknown id changes nothing. With a filter, setMetadata merges into the first ' +
    `${UPDATE_BY_FILTER_RECORDS_MAX} matches, and leaves further ones as they are; matchedRecords counts up to as many, ` +
    'and dryRun changes none. Repeated, the same filter takes the same records: for more, narrow it to those without the ' +
    'new value.',
  since: '2024-04',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::write',
  errors: 'both',
  queue: 'write',
  aliasRefusal: 'write-to-alias',
  body: Type.Object(
    {
      id: Type.Optional(RecordId),
      values: Type.Optional(Values),
      sparseValues: Type.Optional(SparseValues),
      setMetadata: Type.Optional(Metadata),
      namespace: Type.Optional(NamespaceName),
      filter: Type.Optional(FilterObject),
      dryRun: Type.Optional(
        Type.Boolean({
          default: false,
          description: `Only counts the records that the filter matches, up to ${UPDATE_BY_FILTER_RECORDS_MAX}.`,
        }),
      ),
    },
    { examples: [{ namespace: 'films', id: 'movie-1', setMetadata: { genre: 'comedy' } }] },
  ),
  success: {
    status: 200,
    description: 'An empty object; for updates by filter, with matchedRecords.',
    schema: Type.Object({ matchedRecords: Type.Optional(Type.Integer({ examples: [1] })) }),
  },
  faults: [
    'write-to-alias',
    'invalid-argument',
    'body-not-json',
    'request-too-big',
    'dimension-mismatch',
    'zero-vector',
    'empty-sparse-vector',
    'bad-metadata-value',
    'metadata-too-big',
    'bad-filter',
    'wrong-index-kind',
    'storage-full',
  ],
  handle: async (call) => {
    const request = parseVectorBody(call.body, VALUES);
    const id = field(request, 'id');
    const filter = field(request, 'filter');
    if ((id === undefined) === (filter === undefined)) throw invalid('Give exactly one of id and filter');
    return filter === undefined ? updateById(call, request) : updateByFilter(call, request, filter);
  },
};

async function updateById(
  { namespaces, index, store }: DataCall<VectorWriter>,
  request: JsonObject,
): Promise<Reply> {
  if (booleanField(request, 'dryRun')) throw invalid('dryRun is for updates by filter');
  const namespace = namespaces.read(request.namespace);
  const id = checkRecordId(request.id);
  const vectors = readVectorChange(id, vectorParts(request.values, field(request, 'sparseValues')), index);
  const lsn = await store.update(namespace.stored, { id, ...vectors, setMetadata: readChanges(request) });
  return writeReply(index, lsn);
}

async function updateByFilter(
  { namespaces, index, store }: DataCall<VectorWriter>,
  request: JsonObject,
  filter: unknown,
): Promise<Reply> {
  refusePods(index, 'Update by filter');
  const namespace = namespaces.read(request.namespace);
  if (field(request, 'values') !== undefined || field(request, 'sparseValues') !== undefined) {
    throw invalid('An update by filter changes metadata only; leave out values and sparseValues');
  }
  const dryRun = booleanField(request, 'dryRun');
  const changes = readChanges(request);
  if (changes === null && !dryRun) throw invalid('An update by filter needs setMetadata');
  const { lsn, matched } = await store.updateByFilter(namespace.stored, {
    filter: parseRequiredFilter(filter),
    // An empty setMetadata only counts: the port changes no record for it.
    setMetadata: dryRun || changes === null ? {} : changes,
    recordsMax: UPDATE_BY_FILTER_RECORDS_MAX,
  });
  return writeReply(index, lsn, { matchedRecords: matched });
}

function readChanges(request: JsonObject) {
  const changes = field(request, 'setMetadata');
  return changes === undefined ? null : checkMetadata(changes);
}
