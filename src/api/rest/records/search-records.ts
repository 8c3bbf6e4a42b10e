// POST /records/namespaces/{namespace}/search: the records most similar to a text, to a vector or to a stored record.
import { Buffer } from 'node:buffer';
import { groupRecords, type RankedMatch, type SearchOptions } from '../../../app/records/group-matches.ts';
import { orderMatches } from '../../../app/records/order-by-field.ts';
import { queryUnits } from '../../../app/records/read-units.ts';
import type { Match, StoredRecord, ValuesRequest, VectorReader } from '../../../app/records/record-access.ts';
import {
  type SearchTarget,
  searchStore,
  searchStoreFused,
  textSearches,
} from '../../../app/records/search-records.ts';
import { isAtLeast } from '../../../domain/api-version.ts';
import { unpackEngineBody } from '../../../domain/embedding/engine-body.ts';
import { invalid } from '../../../domain/faults.ts';
import { parseOptionalFilter } from '../../../domain/filter/parse-filter.ts';
import { rankedTextQuery } from '../../../domain/full-text/searched-texts.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { RESPONSE_BYTES_MAX, SEARCH_FIELDS_MAX, TOP_K_MAX, TOP_K_MIN } from '../../../domain/limits.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import { readQueryVectors } from '../../../domain/records/vector-record.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { RerankParameters } from '../inference/schemas.ts';
import { boundedRecords, RECORDS_READ_MAX } from './bounded-records.ts';
import { explainSchema, searchHeaders } from './explain.ts';
import { FilterObject } from './filter-schema.ts';
import { hitText } from './hit-text.ts';
import { bytesOf, parseBody } from './parse-body.ts';
import { countedByVectors, countFacets, FacetCounts, FacetsBody, readFacets } from './read-facets.ts';
import { readVectorFusion, VectorFusionBody } from './read-fusion.ts';
import { GROUP_KEYS, groupByBody, readGroupBy } from './read-group-by.ts';
import { MatchOrder, readOrderBy } from './read-order-by.ts';
import { RecallTarget, readRecall } from './recall-target.ts';
import { joinBounded } from './record-text.ts';
import { checkInteger, field, optionalObject } from './request-fields.ts';
import { Metadata, NamespacePath, RecordId, SparseValues, Values } from './schemas.ts';
import { readFields, readQuery, readText, targetKind } from './search-request.ts';
import { type TextTarget, textTarget } from './text-target.ts';

const QueryVector = Type.Object({
  values: Type.Optional(Values),
  sparse_indices: Type.Optional(SparseValues.properties.indices),
  sparse_values: Type.Optional(SparseValues.properties.values),
});

const Rerank = Type.Object({
  model: Type.String({ examples: ['bge-reranker-v2-m3'] }),
  rank_fields: Type.Array(Type.String(), {
    minItems: 1,
    description: 'Each must also be listed in fields, and present in every hit.',
  }),
  top_n: Type.Optional(Type.Integer({ minimum: 1, description: 'Default: all hits.' })),
  query: Type.Optional(Type.String({ description: 'Default: the text of inputs.' })),
  parameters: Type.Optional(RerankParameters),
});

const Hit = Type.Object(
  {
    _id: RecordId,
    _score: Type.Number(),
    _group: Type.Optional(
      Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
        description: 'With group_by: its value.',
      }),
    ),
    fields: Metadata,
  },
  {
    title: 'Hit',
    examples: [{ _id: 'note-1', _score: 0.87, fields: { chunk_text: 'A heron stands in the water.' } }],
  },
);

export const searchRecords: DataEndpoint = {
  id: 'search_records',
  method: 'POST',
  path: '/records/namespaces/{namespace}/search',
  tag: 'Records',
  summary: 'Search records',
  description:
    'Give exactly one of inputs, vector and id. inputs requires an index with integrated embedding; beside a built-in ' +
    'sparse model, hits are ranked by BM25 over their texts. With rerank, a ' +
    'reranking model sorts the hits again, and its scores replace theirs.',
  since: '2025-01',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::read',
  errors: 'both',
  queue: 'read',
  headers: searchHeaders,
  params: NamespacePath,
  body: Type.Object(
    {
      query: Type.Object({
        top_k: Type.Integer({ minimum: TOP_K_MIN, maximum: TOP_K_MAX }),
        vector: Type.Optional(QueryVector),
        id: Type.Optional(RecordId),
        inputs: Type.Optional(Type.Object({ text: Type.String() })),
        match_terms: Type.Optional(
          Type.Object(
            {
              strategy: Type.Optional(Type.Literal('all')),
              terms: Type.Array(Type.String(), { minItems: 1 }),
            },
            {
              description:
                'Words that the text of every hit contains. Only with inputs, on indexes with a sparse model.',
            },
          ),
        ),
        filter: Type.Optional(FilterObject),
        fusion: Type.Optional(VectorFusionBody),
        group_by: Type.Optional(groupByBody(GROUP_KEYS)),
        facets: Type.Optional(FacetsBody),
        order_by: Type.Optional(MatchOrder),
        recall: Type.Optional(RecallTarget),
      }),
      fields: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: SEARCH_FIELDS_MAX,
          description: 'Absent, or with `*`: every field.',
        }),
      ),
      rerank: Type.Optional(Rerank),
    },
    {
      title: 'SearchRequest',
      examples: [
        {
          query: { inputs: { text: 'birds at the water' }, top_k: 10, filter: { genre: 'nature' } },
          fields: ['chunk_text'],
        },
      ],
    },
  ),
  success: {
    status: 200,
    description: 'The top hits, best first.',
    schema: Type.Object({
      result: Type.Object({ hits: Type.Array(Hit) }),
      usage: Type.Object({
        read_units: Type.Integer({ examples: [1] }),
        embed_total_tokens: Type.Integer({ description: 'Tokens of inputs; 0 without them.', examples: [6] }),
        rerank_units: Type.Integer({ description: '0 without rerank.', examples: [0] }),
        egress_bytes: Type.Optional(
          Type.Integer({ description: 'Bytes of the hits.', 'x-since': '2026-07', examples: [184] }),
        ),
      }),
      facets: Type.Optional(FacetCounts),
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
    'embedding-changed',
    'embedded-since',
    'unknown-model',
    'model-unavailable',
    'reads-paused',
    'response-too-big',
  ],
  handle: async ({ namespaces, body, params, index, store, version }) => {
    const { json, lists } = unpackEngineBody(bytesOf(body));
    const request = parseBody(json);
    const namespace = namespaces.read(params.namespace).stored;
    const query = readQuery(request);
    const topK = checkInteger(field(query, 'topK'), 'top_k', { min: TOP_K_MIN, max: TOP_K_MAX });
    const kind = targetKind(query);
    const fields = readFields(request);
    // Of some fields only, the answer may be much smaller than the metadata, which is then read a few records at a time.
    const readsLater = fields !== null && fields.size > 0 && topK > RECORDS_READ_MAX;
    const options = {
      namespace,
      topK,
      filter: parseOptionalFilter(query.filter),
      includeValues: false,
      includeMetadata: fields?.size !== 0 && !readsLater,
      ...readRecall(query),
      ...(fields === null && { answerBytesMax: RESPONSE_BYTES_MAX }),
    };
    if (kind === 'inputs' && field(query, 'fusion') !== undefined)
      throw invalid('fusion is for searches by vector or id');
    const groups = readGroupBy(field(query, 'groupBy'), { schema: null, topK, keys: GROUP_KEYS });
    if (groups !== null && field(request, 'rerank') !== undefined)
      throw invalid('rerank cannot be combined with group_by');
    const facets = readFacets(field(query, 'facets'), null);
    if (facets !== null && field(query, 'matchTerms') !== undefined)
      throw invalid('facets cannot be combined with match_terms');
    const text = kind === 'inputs' ? textTarget(lists, index.dimension) : null;
    const plan = text === null ? vectorPlan(query, index) : textPlan(text, readText(query), index);
    const order = readOrderBy(field(query, 'orderBy'), 'order_by', null);
    if (order !== null && (groups !== null || field(request, 'rerank') !== undefined))
      throw invalid('order_by goes without group_by and rerank');
    const found =
      groups === null
        ? await plan.search(store, options)
        : await groupRecords(store, options, {
            groups,
            search: (narrowed) => plan.search(store, narrowed),
            isRepeatable: plan.isRepeatable,
          });
    const matches = order === null ? found : await orderMatches(store, namespace, { matches: found, order });
    const counted =
      facets &&
      (await countFacets(store, facets, {
        namespace,
        filter: options.filter,
        among: await plan.among(store, namespace),
      }));
    const { filter } = options;
    const write = (match: RankedMatch, { metadataJson }: Partial<StoredRecord>) =>
      hitText({ ...match, ...(metadataJson !== undefined && { metadataJson }) }, fields);
    const hits = readsLater
      ? (await boundedRecords(store, namespace, { items: matches, filter, write })).text
      : joinBounded(matches, (match) => write(match, {}));
    const usage = {
      read_units: await queryUnits(store, namespace),
      embed_total_tokens: text?.tokens ?? 0,
      // Reranking, which follows on another thread, replaces it.
      rerank_units: 0,
      ...(isAtLeast(version, '2026-07') && { egress_bytes: Buffer.byteLength(hits) }),
    };
    const rest = JSON.stringify({ usage, ...(counted !== null && { facets: counted }) }).slice(1);
    return { status: 200, jsonText: `{"result":{"hits":[${hits}]},${rest}` };
  },
};

/** A search by whatever it goes by. */
interface SearchPlan {
  readonly search: (store: VectorReader, options: SearchOptions) => Promise<readonly Match[]>;
  /** Which records it counts. */
  readonly among: (store: VectorReader, namespace: string) => Promise<ValuesRequest['among']>;
  /** False where a score depends on which other records match. */
  readonly isRepeatable: boolean;
}

function vectorPlan(query: JsonObject, index: IndexProfile): SearchPlan {
  const target = readTarget(query, index);
  const fusion = readVectorFusion(field(query, 'fusion'), index, 'id' in target ? null : target.vectors);
  return {
    search: (store, options) =>
      fusion === null
        ? searchStore(store, target, options)
        : searchStoreFused(store, target, { ...fusion, options }),
    among: (store, namespace) => countedByVectors(store, namespace, target),
    isRepeatable: fusion === null,
  };
}

function textPlan({ vectors, required }: TextTarget, query: string, index: IndexProfile): SearchPlan {
  const text = rankedTextQuery(query, index);
  const byTerms = [{ sparse: vectors.sparse, text: null }];
  const among =
    vectors.values !== null ? null : text === null ? byTerms : [...byTerms, { sparse: null, text }];
  const search = textSearches();
  return {
    search: (store, options) => search(store, { ...options, ...vectors, requiredTerms: required, text }),
    among: async () => among,
    isRepeatable: true,
  };
}

function readTarget(query: JsonObject, index: IndexProfile): SearchTarget {
  const vector = optionalObject(query, 'vector');
  if (vector === undefined) return { id: checkRecordId(field(query, 'id')) };
  const { values, sparse_indices: sparseIndices, sparse_values: sparseValues } = vector;
  const vectors = readQueryVectors({ values, sparseIndices, sparseValues }, index);
  if (vectors === null) throw invalid('query.vector must hold values or sparse_values with sparse_indices');
  return { vectors };
}
