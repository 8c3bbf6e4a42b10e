// POST /records/namespaces/{namespace}/neighbors: a whole record, and the records most similar to it.
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { fault } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { NEIGHBORS_DEFAULT, NEIGHBORS_MAX, RESPONSE_BYTES_MAX } from '../../../domain/limits.ts';
import { scoreText } from '../../../domain/records/float32-text.ts';
import { checkRecordId, namespaceToShown } from '../../../domain/records/record-id.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { documentBody } from '../documents/document-body.ts';
import { DocumentFilterObject } from '../documents/filter-schema.ts';
import { ServedNamespace } from '../documents/schemas.ts';
import { bytesOf } from '../records/parse-body.ts';
import { joinBounded } from '../records/record-text.ts';
import { checkInteger } from '../records/request-fields.ts';
import { RecordId } from '../records/schemas.ts';
import { browseCall, readBrowseFilter } from './browse-call.ts';
import { browsedText, Fields, WholeRecord, wholeText } from './browsed-record.ts';

const LIMIT = { min: 0, max: NEIGHBORS_MAX };

const Neighbor = Type.Object(
  { id: RecordId, score: Type.Number({ examples: [0.93] }), fields: Fields },
  { title: 'Neighbor', examples: [{ id: 'movie-2', score: 0.93, fields: { genre: 'drama' } }] },
);

export const findNeighbors: DataEndpoint = {
  ...browseCall('neighbors'),
  id: 'find_neighbors',
  summary: 'Find the neighbors of a record',
  description:
    'A whole record and the records most similar to it, by its dense vector where it has one, else by its sparse one. ' +
    'Any id, also one with spaces; for indexes of vectors and of documents. An extension of this server.',
  body: Type.Object(
    {
      id: RecordId,
      limit: Type.Optional(
        Type.Integer({
          minimum: LIMIT.min,
          maximum: LIMIT.max,
          default: NEIGHBORS_DEFAULT,
          description: 'Neighbors to find; 0 reads the record alone.',
        }),
      ),
      filter: Type.Optional(DocumentFilterObject),
    },
    { additionalProperties: false, examples: [{ id: 'movie-1', limit: 5 }] },
  ),
  success: {
    status: 200,
    description: 'The record and its neighbors, the most similar first.',
    schema: Type.Object({
      record: WholeRecord,
      neighbors: Type.Array(Neighbor),
      namespace: ServedNamespace,
    }),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'bad-filter',
    'record-not-found',
    'response-too-big',
    'reads-paused',
  ],
  handle: async ({ namespaces, body, params, index, store }) => {
    const { stored: namespace } = namespaces.read(params.namespace);
    const request = documentBody(bytesOf(body), ['id', 'limit', 'filter']);
    const id = checkRecordId(request.id);
    const limit = checkInteger(request.limit ?? NEIGHBORS_DEFAULT, 'limit', LIMIT);
    const filter = readBrowseFilter(request.filter, index);
    const [record] = await store.fetch(namespace, [id]);
    if (record === undefined) throw fault('record-not-found', { id });
    const neighbors = await neighborsOf(store, record, { namespace, filter, limit });
    const found = joinBounded(
      neighbors,
      ({ score, ...each }) => `${browsedText(each).slice(0, -1)},"score":${scoreText(score)}}`,
    );
    const shown = JSON.stringify(namespaceToShown(namespace));
    return {
      status: 200,
      jsonText: `{"record":${wholeText(record)},"neighbors":[${found}],"namespace":${shown}}`,
    };
  },
};

async function neighborsOf(
  store: VectorReader,
  { id, values, sparse }: StoredRecord,
  request: { readonly namespace: string; readonly filter: Filter | null; readonly limit: number },
) {
  const { namespace, filter, limit } = request;
  if (limit === 0 || (values === null && sparse === null)) return [];
  const matches = await store.query({
    // One more, since a record is its own neighbor.
    ...{ namespace, filter, topK: limit + 1, values, sparse: values === null ? sparse : null },
    ...{ includeValues: false, includeMetadata: true, answerBytesMax: RESPONSE_BYTES_MAX },
  });
  return matches
    .filter((match) => match.id !== id)
    .slice(0, limit)
    .map(({ score, ...match }) => ({ id: match.id, score, metadataJson: match.metadataJson ?? null }));
}
