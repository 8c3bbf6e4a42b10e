// POST /records/namespaces/{namespace}/search: the records most similar to a vector or to a stored record.
import { Buffer } from 'node:buffer';
import { Type } from 'typebox';
import { isAtLeast } from '../../domain/api-version.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { QUOTED_CHARS_MAX } from '../../domain/filter/condition-text.ts';
import { parseOptionalFilter } from '../../domain/filter/parse-filter.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { SEARCH_FIELDS_MAX, TOP_K_MAX, TOP_K_MIN } from '../../domain/limits.ts';
import { checkRecordId } from '../../domain/records/record-id.ts';
import { type JsonObject, readQueryVectors } from '../../domain/records/vector-record.ts';
import type { DataEndpoint } from '../endpoint.ts';
import { explainHeaders, explainSchema } from './explain.ts';
import { hitText } from './hit-text.ts';
import { readNamespace } from './namespace-of.ts';
import { parseBody } from './parse-body.ts';
import { queryUnits } from './read-units.ts';
import { joinBounded } from './record-text.ts';
import { checkInteger, field, optionalArray, optionalObject } from './request-fields.ts';
import { FilterObject, Metadata, NamespacePath, RecordId, SparseValues, Values } from './schemas.ts';
import { type SearchTarget, searchStore } from './search-store.ts';

const QueryVector = Type.Object({
  values: Type.Optional(Values),
  sparse_indices: Type.Optional(SparseValues.properties.indices),
  sparse_values: Type.Optional(SparseValues.properties.values),
});

export const searchRecords: DataEndpoint = {
  id: 'search_records',
  method: 'POST',
  path: '/records/namespaces/{namespace}/search',
  tag: 'Records',
  summary: 'Search records',
  description: 'Give exactly one of vector and id. inputs needs an index with integrated embedding.',
  since: '2025-01',
  permission: 'data_plane::vectors::read',
  errors: 'both',
  lane: 'read',
  headers: explainHeaders,
  params: NamespacePath,
  body: Type.Object({
    query: Type.Object({
      top_k: Type.Integer({ minimum: TOP_K_MIN, maximum: TOP_K_MAX }),
      vector: Type.Optional(QueryVector),
      id: Type.Optional(RecordId),
      inputs: Type.Optional(Type.Object({ text: Type.String() })),
      filter: Type.Optional(FilterObject),
    }),
    fields: Type.Optional(
      Type.Array(Type.String(), { maxItems: SEARCH_FIELDS_MAX, description: 'Absent: every field.' }),
    ),
  }),
  success: {
    status: 200,
    description: 'Best matches first.',
    schema: Type.Object({
      result: Type.Object({
        hits: Type.Array(Type.Object({ _id: RecordId, _score: Type.Number(), fields: Metadata })),
      }),
      usage: Type.Object({ read_units: Type.Integer(), egress_bytes: Type.Optional(Type.Integer()) }),
      explain: Type.Optional(explainSchema('search_records')),
    }),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'request-too-big',
    'dimension-mismatch',
    'empty-sparse-vector',
    'sparse-unsupported',
    'bad-filter',
    'not-integrated',
    'reads-paused',
    'response-too-big',
  ],
  handle: async ({ body, params, index, store, version }) => {
    const request = parseBody(body);
    const namespace = readNamespace(params.namespace).stored;
    const query = optionalObject(request, 'query');
    if (query === undefined) throw invalid('query is required');
    const topK = checkInteger(field(query, 'top_k'), 'top_k', { min: TOP_K_MIN, max: TOP_K_MAX });
    const target = readTarget(query, index);
    const fields = readFields(request);
    refuseModels(request);
    const matches = await searchStore(store, target, {
      namespace,
      topK,
      filter: parseOptionalFilter(query.filter),
      includeValues: false,
      includeMetadata: fields?.size !== 0,
    });
    const hits = joinBounded(matches, (match) => hitText(match, fields));
    const egress = isAtLeast(version, '2026-07') ? `,"egress_bytes":${Buffer.byteLength(hits)}` : '';
    const usage = `{"read_units":${await queryUnits(store, namespace)}${egress}}`;
    return { status: 200, jsonText: `{"result":{"hits":[${hits}]},"usage":${usage}}` };
  },
};

function readTarget(query: JsonObject, index: IndexProfile): SearchTarget {
  const vector = optionalObject(query, 'vector');
  const id = field(query, 'id');
  if (field(query, 'inputs') !== undefined) {
    if (vector !== undefined || id !== undefined) throw invalid('Give exactly one of inputs, vector and id');
    throw fault('not-integrated');
  }
  if (field(query, 'match_terms') !== undefined) throw invalid('match_terms is for searches with inputs');
  if ((vector === undefined) === (id === undefined)) {
    throw invalid('Give exactly one of inputs, vector and id');
  }
  if (vector === undefined) return { id: checkRecordId(id) };
  const { values, sparse_indices: sparseIndices, sparse_values: sparseValues } = vector;
  const vectors = readQueryVectors({ values, sparseIndices, sparseValues }, index);
  if (vectors === null) throw invalid('query.vector must hold values or sparse_values with sparse_indices');
  return { vectors };
}

/** Null means every field. */
function readFields(request: JsonObject): ReadonlySet<string> | null {
  const fields = optionalArray(request, 'fields');
  if (fields === undefined) return null;
  if (fields.length > SEARCH_FIELDS_MAX) throw invalid(`fields must hold at most ${SEARCH_FIELDS_MAX} names`);
  return new Set(
    fields.map((name) => {
      if (typeof name !== 'string') throw invalid('fields must be strings');
      return name;
    }),
  );
}

function refuseModels(request: JsonObject): void {
  const rerank = optionalObject(request, 'rerank');
  if (rerank === undefined) return;
  const { model } = rerank;
  if (typeof model !== 'string') throw invalid('rerank.model must be a string');
  throw invalid(`Rerank model '${model.slice(0, QUOTED_CHARS_MAX)}' is not available for this index`);
}
