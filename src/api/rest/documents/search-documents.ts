// POST /namespaces/{namespace}/documents/search: the top documents by words, by a vector, or by several of them fused.
import { Buffer } from 'node:buffer';
import { fuseRankings } from '../../../app/records/fuse-rankings.ts';
import { queryUnits } from '../../../app/records/read-units.ts';
import type { Match, QueryRequest, StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { parseOptionalDocumentFilter } from '../../../domain/filter/document-filter.ts';
import { TOP_K_MAX, TOP_K_MIN } from '../../../domain/limits.ts';
import { rankingMetric } from '../../../domain/ranking-metric.ts';
import { matchText } from '../../../domain/records/document-text.ts';
import type { DataCall, DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { explainHeaders, explainSchema } from '../records/explain.ts';
import { joinBounded } from '../records/record-text.ts';
import { checkInteger } from '../records/request-fields.ts';
import { boundedDocuments, DOCUMENTS_READ_MAX } from './bounded-text.ts';
import { packedBody } from './document-body.ts';
import { documentCall, schemaOf } from './documents-endpoint.ts';
import { DocumentFilterObject } from './filter-schema.ts';
import { readIncludeFields } from './include-fields.ts';
import { clauseWeights, FusionBody, type RequestedFusion, readFusion } from './read-fusion.ts';
import { ClauseBody, DocumentMatch, IncludeFields, ReadUsage, ServedNamespace } from './schemas.ts';
import { readScoreClauses } from './score-clauses.ts';
import { SEARCH_KEYS } from './search-keys.ts';
import { type SearchTarget, targetsOf } from './search-targets.ts';
import { VectorLists } from './vector-lists.ts';

/** Matches of each clause that take part in a fusion, at least; of more clauses than one, deeper ranks matter. */
const FUSED_DEPTH_MIN = 100;
const FUSED_DEPTH_FACTOR = 2;

export const searchDocuments: DataEndpoint = {
  ...documentCall('search'),
  id: 'search_documents',
  summary: 'Search documents',
  description:
    'Ranks documents by score_by: any number of text and query_string clauses, whose scores add up, or one clause of ' +
    'another type. With fusion, any clauses together. A filter narrows the documents first.',
  permission: 'data_plane::vectors::read',
  queue: 'read',
  headers: explainHeaders,
  body: Type.Object(
    {
      score_by: Type.Array(ClauseBody, { minItems: 1 }),
      top_k: Type.Integer({ minimum: TOP_K_MIN, maximum: TOP_K_MAX }),
      include_fields: Type.Optional(IncludeFields('only _id and _score')),
      filter: Type.Optional(DocumentFilterObject),
      fusion: Type.Optional(FusionBody),
    },
    {
      additionalProperties: false,
      examples: [
        {
          score_by: [{ type: 'text', fields: ['title'], query: 'apple pie' }],
          top_k: 3,
          include_fields: ['title'],
        },
      ],
    },
  ),
  success: {
    status: 200,
    description: 'The top documents, best first; by euclidean distance, nearest first.',
    schema: Type.Object({
      matches: Type.Array(DocumentMatch),
      namespace: ServedNamespace,
      usage: ReadUsage,
      explain: Type.Optional(explainSchema('search_documents')),
    }),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'documents-too-big',
    'bad-filter',
    'dimension-mismatch',
    'empty-sparse-vector',
    'embedding-changed',
    'model-unavailable',
    'response-too-big',
    'wrong-index-kind',
    'reads-paused',
  ],
  handle: async (call) => {
    const { namespaces, body, params, index, store, version } = call;
    const schema = schemaOf(index);
    const { request, lists } = packedBody(body, SEARCH_KEYS);
    const { stored: namespace, echo } = namespaces.read(params.namespace);
    const fusion = readFusion(request.fusion, version);
    const clauses = readScoreClauses(request.score_by, schema, { mayMix: fusion !== null });
    const topK = checkInteger(request.top_k, 'top_k', { min: TOP_K_MIN, max: TOP_K_MAX });
    const shown = readIncludeFields(request.include_fields, schema, new Set());
    const filter = parseOptionalDocumentFilter(request.filter, schema);
    const vectors = new VectorLists(lists);
    const targets = targetsOf(clauses, index, { vectors, areFused: request.fusion !== undefined });
    const matchOf = ({ score }: Match, record: StoredRecord) =>
      matchText({ ...record, score }, schema, shown);
    const isShown = shown?.size !== 0;
    const isFused = targets.length > 1 || request.fusion !== undefined;
    const options = { namespace, topK, filter, includeValues: false, includeMetadata: false };
    // A search reads the documents of its matches itself where they are few: then each is as it was when it was ranked.
    const isWhole = isShown && !isFused && topK <= DOCUMENTS_READ_MAX;
    const matches = isFused
      ? await searchFused(call, targets, { fusion, options })
      : await searchOne(store, targets, { ...options, includeValues: isWhole, includeMetadata: isWhole });
    const text =
      isShown && !isWhole
        ? (await boundedDocuments(store, namespace, { items: matches, write: matchOf })).text
        : joinBounded(matches, (match) => matchText(match, schema, shown));
    const usage = {
      read_units: await queryUnits(store, namespace),
      egress_bytes: Buffer.byteLength(text),
      ...(vectors.tokens !== null && { embed_total_tokens: vectors.tokens }),
    };
    const jsonText = `{"matches":[${text}],"namespace":${JSON.stringify(echo)},"usage":${JSON.stringify(usage)}}`;
    return { status: 200, jsonText };
  },
};

type SearchOptions = Omit<QueryRequest, 'values' | 'sparse' | 'text'>;

async function searchOne(
  store: VectorReader,
  [target]: readonly SearchTarget[],
  options: SearchOptions,
): Promise<readonly Match[]> {
  return target === undefined ? [] : store.query({ ...options, ...target });
}

/** Ranks by each target alone, and fuses the rankings. */
async function searchFused(
  { index, store }: DataCall<VectorReader>,
  targets: readonly SearchTarget[],
  { fusion, options }: { readonly fusion: RequestedFusion | null; readonly options: SearchOptions },
): Promise<readonly Match[]> {
  if (fusion === null) throw new Error('several rankings need a fusion');
  const { topK } = options;
  const depth = Math.min(TOP_K_MAX, Math.max(FUSED_DEPTH_MIN, FUSED_DEPTH_FACTOR * topK));
  const weights = clauseWeights(fusion, targets.length);
  const rankings = await Promise.all(
    targets.map(async (target, position) => ({
      matches: await store.query({ ...options, topK: depth, ...target }),
      weight: weights[position] ?? 1,
      isAscending: rankingMetric(index, target) === 'euclidean',
    })),
  );
  return fuseRankings(rankings, { fusion: fusion.fusion, topK });
}
