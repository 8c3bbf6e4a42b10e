// POST /records/namespaces/{namespace}/upsert: text records, for indexes with integrated embedding.

import type { Lsn, VectorWriter } from '../../../app/records/record-access.ts';
import { floatsOf, unpackEngineBody } from '../../../domain/embedding/engine-body.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { parseOwnJson } from '../../../domain/json.ts';
import { flushDenormals } from '../../../domain/records/dense-vector.ts';
import type { StorableRecord } from '../../../domain/records/record.ts';
import type { DataCall, DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { writeReply } from './freshness.ts';
import { bytesOf } from './parse-body.ts';
import { MetadataValue, NamespacePath, RecordId } from './schemas.ts';

const EXAMPLE = { chunk_text: 'A heron stands in the water.', genre: 'nature' };

/** One line. The names of the other fields are the caller's. */
const TextRecord = Type.Union(
  [
    Type.Object(
      { _id: RecordId },
      { title: 'TextRecord', additionalProperties: MetadataValue, examples: [{ _id: 'note-1', ...EXAMPLE }] },
    ),
    Type.Object(
      { id: RecordId },
      {
        title: 'TextRecordById',
        additionalProperties: MetadataValue,
        examples: [{ id: 'note-1', ...EXAMPLE }],
      },
    ),
  ],
  {
    description:
      'One record. As `application/x-ndjson` each line of the body is such an object; a body of one record may also ' +
      'be sent as `application/json`.',
  },
);

/** The JSON part of the body that the main thread sends. The records' vectors follow it as lists. */
interface Rows {
  readonly records: readonly (readonly [id: string, metadataJson: string])[];
}

export const upsertRecords: DataEndpoint = {
  id: 'upsert_records',
  method: 'POST',
  path: '/records/namespaces/{namespace}/upsert',
  tag: 'Records',
  summary: 'Upsert records',
  description:
    'For indexes with integrated embedding. Send one JSON object per line: `_id` (or `id`), the text in the field that ' +
    'field_map names, and any other fields. All fields but the id become metadata. ' +
    'A request has at most as many records as the model accepts in a batch. Stores all records or none.',
  since: '2025-01',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::write',
  errors: 'both',
  queue: 'write',
  aliasRefusal: 'name-in-use-by-alias',
  params: NamespacePath,
  bodyTypes: ['application/x-ndjson', 'application/json'],
  body: TextRecord,
  success: { status: 201, description: 'Stored.' },
  faults: [
    'name-in-use-by-alias',
    'invalid-argument',
    'body-not-json',
    'request-too-big',
    'bad-metadata-value',
    'metadata-too-big',
    'not-integrated',
    'embedding-changed',
    'model-unavailable',
    'storage-full',
  ],
  handle: async (call) => ({ ...writeReply(call.index, await write(call)), status: 201, body: undefined }),
};

async function write({ namespaces, body, params, index, store }: DataCall<VectorWriter>): Promise<Lsn> {
  const { json, lists } = unpackEngineBody(bytesOf(body));
  // Only the preprocessor of this endpoint writes the body.
  const rows = parseOwnJson<Rows>(Buffer.from(json).toString());
  const { stored } = namespaces.read(params.namespace);
  const vectors = vectorsFrom(lists, index);
  const records = rows.records.map(([id, metadataJson], at) => ({ id, metadataJson, ...vectors(at) }));
  return store.upsert(stored, records);
}

type Vectors = Pick<StorableRecord, 'values' | 'sparse'>;

/** Returns a function from a record's position to its vector: one list on dense indexes, two on sparse ones. */
function vectorsFrom(
  lists: readonly Uint32Array<ArrayBuffer>[],
  { dimension }: IndexProfile,
): (position: number) => Vectors {
  const list = (at: number) => {
    const found = lists[at];
    if (found === undefined) throw new RangeError(`expected list ${at} in an engine body of ${lists.length}`);
    return found;
  };
  if (dimension !== null) return (at) => ({ values: flushDenormals(floatsOf(list(at))), sparse: null });
  return (at) => ({
    values: null,
    sparse: { indices: list(at * 2), values: flushDenormals(floatsOf(list(at * 2 + 1))) },
  });
}
