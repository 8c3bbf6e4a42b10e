// POST /namespaces/{namespace}/documents/search: the top documents by words, by a vector, or by several of them fused.
import { Buffer } from 'node:buffer';
import type { RankedMatch } from '../../../app/records/group-matches.ts';
import { orderMatches } from '../../../app/records/order-by-field.ts';
import { queryUnits } from '../../../app/records/read-units.ts';
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { TOP_K_MAX, TOP_K_MIN } from '../../../domain/limits.ts';
import { matchText } from '../../../domain/records/document-text.ts';
import type { DataCall, DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { boundedRecords } from '../records/bounded-records.ts';
import { explainSchema, searchHeaders } from '../records/explain.ts';
import { countedAmong, countFacets, FacetCounts, FacetsBody } from '../records/read-facets.ts';
import { FusionBody } from '../records/read-fusion.ts';
import { GROUP_KEYS, groupByBody } from '../records/read-group-by.ts';
import { MatchOrder } from '../records/read-order-by.ts';
import { RecallTarget } from '../records/recall-target.ts';
import { joinBounded } from '../records/record-text.ts';
import { documentCall, schemaOf } from './documents-endpoint.ts';
import { DocumentFilterObject } from './filter-schema.ts';
import { rankAndCount, rankDocuments } from './rank-documents.ts';
import { CountBody, MatchCount } from './read-count.ts';
import { HighlightsBody } from './read-highlights.ts';
import { RerankBody } from './read-rerank.ts';
import { type DocumentSearch, readSearch } from './read-search.ts';
import { ClauseBody, DocumentMatch, IncludeFields, ReadUsage, ServedNamespace } from './schemas.ts';

export const searchDocuments: DataEndpoint = {
  ...documentCall('search'),
  id: 'search_documents',
  summary: 'Search documents',
  description:
    'Ranks documents by score_by: any number of text and query_string clauses, whose scores add up, or one clause of ' +
    'another type. With fusion, any clauses together. A filter narrows the documents first.',
  permission: 'data_plane::vectors::read',
  queue: 'read',
  headers: searchHeaders,
  body: Type.Object(
    {
      score_by: Type.Array(ClauseBody, { minItems: 1 }),
      top_k: Type.Integer({ minimum: TOP_K_MIN, maximum: TOP_K_MAX }),
      include_fields: Type.Optional(IncludeFields('only _id and _score')),
      filter: Type.Optional(DocumentFilterObject),
      fusion: Type.Optional(FusionBody),
      group_by: Type.Optional(groupByBody(GROUP_KEYS)),
      order_by: Type.Optional(MatchOrder),
      highlights: Type.Optional(HighlightsBody),
      facets: Type.Optional(FacetsBody),
      count: Type.Optional(CountBody),
      rerank: Type.Optional(RerankBody),
      recall: Type.Optional(RecallTarget),
    },
    {
      additionalProperties: false,
      examples: [
        {
          score_by: [{ type: 'text', fields: ['title'], query: 'apple pie' }],
          top_k: 3,
          include_fields: ['title'],
        },
        {
          score_by: [
            { type: 'text', fields: ['title', 'text'], query: 'apple pie' },
            { type: 'embed', fields: ['text'], query: 'apple pie' },
          ],
          fusion: { method: 'rrf' },
          top_k: 20,
          include_fields: ['title'],
          highlights: { fields: ['text'], snippets: 1 },
          rerank: { model: 'bge-reranker-v2-m3', rank_fields: ['title'], top_n: 3 },
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
      facets: Type.Optional(FacetCounts),
      count: Type.Optional(MatchCount),
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
    'embedded-since',
    'unknown-model',
    'model-unavailable',
    'response-too-big',
    'wrong-index-kind',
    'reads-paused',
  ],
  handle: async (call) => {
    const { store } = call;
    const search = readSearch(call);
    const { targets, options } = search.ranking;
    const { namespace, filter } = options;
    const { matches: ranked, matched } = search.isCounted
      ? await rankAndCount(call, search.ranking)
      : { matches: await rankDocuments(call, search.ranking), matched: null };
    const { order } = search;
    const matches =
      order === null ? ranked : await orderMatches(store, namespace, { matches: ranked, order });
    const text = await matchesText(call, search, matches);
    const usage = {
      read_units: await queryUnits(store, namespace),
      egress_bytes: Buffer.byteLength(text),
      ...(search.tokens !== null && { embed_total_tokens: search.tokens }),
    };
    const rest = {
      namespace: search.namespaceEcho,
      usage,
      ...(search.facets && {
        facets: await countFacets(store, search.facets, { namespace, filter, among: countedAmong(targets) }),
      }),
      ...(matched !== null && { count: { value: matched, exact: true } }),
    };
    // All but the matches, without its opening brace.
    const jsonText = `{"matches":[${text}],${JSON.stringify(rest).slice(1)}`;
    return { status: 200, jsonText };
  },
};

/** The matches as JSON text, without brackets. @throws response-too-big */
async function matchesText(
  { index, store }: DataCall<VectorReader>,
  { ranking, shown, highlighter, readsDocuments }: DocumentSearch,
  matches: readonly RankedMatch[],
): Promise<string> {
  const schema = schemaOf(index);
  const write = (match: RankedMatch, record: Partial<StoredRecord>) => {
    const highlights = highlighter?.textOf(record.metadataJson ?? null);
    return matchText({ ...record, ...match, ...(highlights !== undefined && { highlights }) }, schema, shown);
  };
  const { namespace, filter, includeMetadata } = ranking.options;
  if (!readsDocuments || includeMetadata) return joinBounded(matches, (match) => write(match, match));
  return (await boundedRecords(store, namespace, { items: matches, filter, write })).text;
}
