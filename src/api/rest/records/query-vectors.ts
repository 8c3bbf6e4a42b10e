// POST /query: the records most similar to a vector or to a stored record.
import { orderMatches } from '../../../app/records/order-by-field.ts';
import { queryMatches } from '../../../app/records/query-matches.ts';
import { queryUnits } from '../../../app/records/read-units.ts';
import type { QueryRequest } from '../../../app/records/record-access.ts';
import type { SearchTarget } from '../../../app/records/search-records.ts';
import { invalid } from '../../../domain/faults.ts';
import { parseOptionalFilter } from '../../../domain/filter/parse-filter.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { JsonObject } from '../../../domain/json.ts';
import {
  MAX_CANDIDATES_MAX,
  RESPONSE_BYTES_MAX,
  SCAN_FACTOR_MAX,
  SCAN_FACTOR_MIN,
  TOP_K_MAX,
  TOP_K_MIN,
} from '../../../domain/limits.ts';
import { checkRecordId } from '../../../domain/records/record-id.ts';
import { readQueryVectors, vectorParts } from '../../../domain/records/vector-record.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { explainSchema, searchHeaders } from './explain.ts';
import { FilterObject } from './filter-schema.ts';
import { parseVectorBody, type VectorLayout } from './parse-vector-body.ts';
import { countedByVectors, countFacets, FacetCounts, FacetsBody, readFacets } from './read-facets.ts';
import { readVectorFusion, VectorFusionBody } from './read-fusion.ts';
import { type GroupKeys, groupByBody, readGroupBy } from './read-group-by.ts';
import { MatchOrder, readOrderBy } from './read-order-by.ts';
import { DiversityBody, RecommendBody, readDiversity, readRecommend } from './read-recommend.ts';
import { RecallTarget, readRecall } from './recall-target.ts';
import { booleanField, checkInteger, field, optionalArray } from './request-fields.ts';
import { Metadata, NamespaceEcho, NamespaceName, RecordId, SparseValues, Usage, Values } from './schemas.ts';

const Scored = Type.Object(
  {
    id: RecordId,
    score: Type.Number({ examples: [0.93] }),
    values: { ...Values, description: 'Empty unless includeValues is true.' },
    sparseValues: Type.Optional(SparseValues),
    metadata: Type.Optional(Metadata),
    group: Type.Optional(
      Type.Union([Type.String(), Type.Number(), Type.Boolean()], { description: 'With groupBy: its value.' }),
    ),
  },
  {
    title: 'Match',
    examples: [{ id: 'movie-1', score: 0.93, values: [], metadata: { genre: 'drama', year: 2020 } }],
  },
);

const KEYS: GroupKeys = { groupBy: 'groupBy', topK: 'topK', group: 'group' };

/** {"vector": [...]} */
const VECTOR: VectorLayout = { depth: 1, field: 'vector', parents: (body) => [body] };

export const queryVectors: DataEndpoint = {
  id: 'query_vectors',
  method: 'POST',
  path: '/query',
  tag: 'Vectors',
  summary: 'Query vectors',
  description:
    'Give a vector, the id of a record, or examples in recommend. The vector is sparse on sparse indexes; on dotproduct indexes it may have ' +
    'both parts. Matches are sorted by score: cosine and dotproduct, highest first; euclidean, the squared distance, ' +
    'lowest first.',
  since: '2024-04',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::read',
  errors: 'both',
  queue: 'read',
  headers: searchHeaders,
  body: Type.Object(
    {
      topK: Type.Integer({ minimum: TOP_K_MIN, maximum: TOP_K_MAX }),
      vector: Type.Optional(Values),
      sparseVector: Type.Optional(SparseValues),
      id: Type.Optional(RecordId),
      filter: Type.Optional(FilterObject),
      fusion: Type.Optional(VectorFusionBody),
      recommend: Type.Optional(RecommendBody),
      diversity: Type.Optional(DiversityBody),
      groupBy: Type.Optional(groupByBody(KEYS)),
      facets: Type.Optional(FacetsBody),
      orderBy: Type.Optional(MatchOrder),
      includeValues: Type.Optional(Type.Boolean({ default: false })),
      includeMetadata: Type.Optional(Type.Boolean({ default: false })),
      namespace: Type.Optional(NamespaceName),
      scanFactor: Type.Optional(
        Type.Number({
          minimum: SCAN_FACTOR_MIN,
          maximum: SCAN_FACTOR_MAX,
          description:
            'Factor on the usual effort, not beside recall. Dense indexes with dedicated read capacity only.',
        }),
      ),
      recall: Type.Optional(RecallTarget),
      maxCandidates: Type.Optional(
        Type.Integer({
          minimum: TOP_K_MIN,
          maximum: MAX_CANDIDATES_MAX,
          description: 'At least topK. Dense indexes with dedicated read capacity only.',
        }),
      ),
    },
    {
      title: 'QueryRequest',
      examples: [
        {
          namespace: 'films',
          vector: [0.1, 0.2, 0.3],
          topK: 10,
          filter: { year: { $gte: 2018 } },
          includeMetadata: true,
        },
        {
          vector: [0.1, 0.2, 0.3],
          sparseVector: { indices: [10, 45], values: [0.5, 0.2] },
          fusion: { method: 'rrf', weights: [1, 0.5] },
          topK: 10,
        },
        {
          namespace: 'films',
          recommend: { positive: ['movie-1'], negative: [[0.3, 0.2, 0.1]] },
          diversity: { weight: 0.3 },
          topK: 10,
        },
      ],
    },
  ),
  success: {
    status: 200,
    description: 'The top matches, best first.',
    schema: Type.Object(
      {
        results: Type.Array(Type.Unknown(), { maxItems: 0, description: 'Always empty.' }),
        matches: Type.Array(Scored),
        namespace: NamespaceEcho,
        usage: Usage,
        facets: Type.Optional(FacetCounts),
        explain: Type.Optional(explainSchema('query_vectors')),
      },
      { title: 'QueryResponse' },
    ),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'request-too-big',
    'dimension-mismatch',
    'empty-sparse-vector',
    'sparse-unsupported',
    'bad-filter',
    'reads-paused',
    'response-too-big',
  ],
  handle: async ({ namespaces, body, index, store }) => {
    const request = parseVectorBody(body, VECTOR);
    const namespace = namespaces.read(request.namespace);
    const topK = checkInteger(field(request, 'topK'), 'topK', { min: TOP_K_MIN, max: TOP_K_MAX });
    if ((optionalArray(request, 'queries') ?? []).length > 0) {
      throw invalid('queries is not supported; send one query a request');
    }
    const hints = { ...readRecall(request), ...readScanHints(request, index, topK) };
    if ('recall' in hints && 'effort' in hints) throw invalid('Give either scanFactor or recall, not both');
    const recommendation = readRecommend(field(request, 'recommend'), index, topK);
    const diversity = readDiversity(field(request, 'diversity'), index, topK);
    const target = recommendation === null ? readTarget(request, index) : null;
    if (recommendation !== null) refuseBeside(request, index);
    const fused = target === null || 'id' in target ? null : target.vectors;
    const fusion = readVectorFusion(field(request, 'fusion'), index, fused);
    if (fusion !== null && (diversity !== null || recommendation !== null))
      throw invalid('fusion goes without recommend and diversity');
    const groups = readGroupBy(field(request, 'groupBy'), { schema: null, topK, keys: KEYS });
    if (groups !== null && diversity !== null) throw invalid('groupBy goes without diversity');
    const facets = readFacets(field(request, 'facets'), null);
    const order = readOrderBy(field(request, 'orderBy'), 'orderBy', null);
    if (order !== null && groups !== null) throw invalid('orderBy goes without groupBy');
    const options = {
      namespace: namespace.stored,
      topK,
      filter: parseOptionalFilter(request.filter),
      includeValues: booleanField(request, 'includeValues'),
      includeMetadata: booleanField(request, 'includeMetadata'),
      answerBytesMax: RESPONSE_BYTES_MAX,
      answerForm: body instanceof Uint8Array ? ('json' as const) : ('message' as const),
      ...hints,
    };
    const plan = { target, recommendation, diversity, fusion, groups, metric: index.metric };
    const found = await queryMatches(store, options, plan);
    const matches =
      order === null ? found : await orderMatches(store, namespace.stored, { matches: found, order });
    const among = async () => target && countedByVectors(store, namespace.stored, target);
    const counted =
      facets &&
      (await countFacets(store, facets, {
        namespace: namespace.stored,
        filter: options.filter,
        among: await among(),
      }));
    const readUnits = await queryUnits(store, namespace.stored);
    return { status: 200, records: { matches, namespace: namespace.echo, readUnits, facets: counted } };
  },
};

/** Clients of the proto form send every field: what is empty counts as absent. */
function refuseBeside(request: JsonObject, index: IndexProfile): void {
  const vectors = readQueryVectors(vectorParts(request.vector, field(request, 'sparseVector')), index);
  if (vectors !== null || (field(request, 'id') ?? '') !== '')
    throw invalid('Give either recommend, or a query vector or an id, not both');
}

/** Reads what to search by. An empty id counts as absent, because clients of the proto form send every field. */
function readTarget(request: JsonObject, index: IndexProfile): SearchTarget {
  const parts = vectorParts(request.vector, field(request, 'sparseVector'));
  const vectors = readQueryVectors(parts, index);
  const id = field(request, 'id') ?? '';
  if (id === '' && vectors !== null) return { vectors };
  if (id === '') throw invalid('Give one of vector, sparseVector and id');
  if (vectors !== null) throw invalid('Give either a query vector or an id, not both');
  return { id: checkRecordId(id) };
}

/** Reads the hints for dedicated capacity, which let a search do more or less than usual. */
function readScanHints(
  request: JsonObject,
  index: IndexProfile,
  topK: number,
): Pick<QueryRequest, 'effort' | 'candidatesMax'> {
  const scanFactor = field(request, 'scanFactor');
  const maxCandidates = field(request, 'maxCandidates');
  if (scanFactor === undefined && maxCandidates === undefined) return {};
  if (!index.dedicated || index.vectorType !== 'dense') {
    throw invalid('scanFactor and maxCandidates are for dense indexes with dedicated read capacity');
  }
  if (
    scanFactor !== undefined &&
    !(typeof scanFactor === 'number' && scanFactor >= SCAN_FACTOR_MIN && scanFactor <= SCAN_FACTOR_MAX)
  ) {
    throw invalid(`scanFactor must be a number from ${SCAN_FACTOR_MIN} to ${SCAN_FACTOR_MAX}`);
  }
  const candidatesMax =
    maxCandidates === undefined
      ? undefined
      : checkInteger(maxCandidates, 'maxCandidates', { min: topK, max: MAX_CANDIDATES_MAX });
  return {
    ...(scanFactor !== undefined && { effort: scanFactor }),
    ...(candidatesMax !== undefined && { candidatesMax }),
  };
}
