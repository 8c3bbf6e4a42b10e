// Reads the body of a document search: what to rank by, and what the answer shows.
import type { FieldOrder } from '../../../app/records/order-by-field.ts';
import type { VectorReader } from '../../../app/records/record-access.ts';
import { invalid } from '../../../domain/faults.ts';
import { parseOptionalDocumentFilter } from '../../../domain/filter/document-filter.ts';
import { FUSED_MATCHES_MAX, FUSED_RANKINGS_MAX, TOP_K_MAX, TOP_K_MIN } from '../../../domain/limits.ts';
import type { ShownFields } from '../../../domain/records/document-text.ts';
import type { DataCall } from '../../endpoint.ts';
import { RECORDS_READ_MAX } from '../records/bounded-records.ts';
import { type RequestedFacet, readFacets } from '../records/read-facets.ts';
import { readFusion } from '../records/read-fusion.ts';
import { GROUP_KEYS, readGroupBy } from '../records/read-group-by.ts';
import { readOrderBy } from '../records/read-order-by.ts';
import { readRecall } from '../records/recall-target.ts';
import { checkInteger } from '../records/request-fields.ts';
import { packedBody } from './document-body.ts';
import { documentNamespace, schemaOf } from './documents-endpoint.ts';
import { readIncludeFields } from './include-fields.ts';
import type { Ranking } from './rank-documents.ts';
import { readCount } from './read-count.ts';
import { Highlighter, readHighlights } from './read-highlights.ts';
import { readScoreClauses } from './score-clauses.ts';
import { SEARCH_KEYS } from './search-keys.ts';
import { targetsOf } from './search-targets.ts';
import { VectorLists } from './vector-lists.ts';

export interface DocumentSearch {
  readonly ranking: Ranking;
  /** Of the matches; null for that of their scores. */
  readonly order: FieldOrder | null;
  readonly shown: ShownFields;
  readonly facets: readonly RequestedFacet[] | null;
  /** Whether all matches are counted. */
  readonly isCounted: boolean;
  readonly highlighter: Highlighter | null;
  /** True where the answer needs the documents of its matches. */
  readonly readsDocuments: boolean;
  /** The name of the namespace as answers have it. */
  readonly namespaceEcho: string;
  /** Tokens of embedded query texts; null without any. */
  readonly tokens: number | null;
}

/** @throws invalid-argument, body-not-json, bad-filter, dimension-mismatch, empty-sparse-vector */
export function readSearch({
  namespaces,
  body,
  params,
  index,
  version,
}: DataCall<VectorReader>): DocumentSearch {
  const schema = schemaOf(index);
  const { request, lists } = packedBody(body, SEARCH_KEYS);
  const { stored: namespace, echo } = documentNamespace(namespaces, params);
  const fusion = readFusion(request.fusion, version);
  const clauses = readScoreClauses(request.score_by, schema, { mayMix: fusion !== null });
  const topK = checkInteger(request.top_k, 'top_k', { min: TOP_K_MIN, max: TOP_K_MAX });
  const shown = readIncludeFields(request.include_fields, schema, new Set());
  const filter = parseOptionalDocumentFilter(request.filter, schema);
  const vectors = new VectorLists(lists);
  const targets = targetsOf(clauses, index, { vectors, areFused: request.fusion !== undefined });
  const isFused = targets.length > 1 || request.fusion !== undefined;
  const groups = readGroupBy(request.group_by, { schema, topK, keys: GROUP_KEYS });
  const order = readOrderBy(request.order_by, 'order_by', schema);
  if (order !== null && (groups !== null || request.rerank !== undefined))
    throw invalid('order_by goes without group_by and rerank');
  if (isFused) boundFusion(targets.length, topK * (groups?.size ?? 1));
  const highlights = readHighlights(request.highlights, schema, topK * (groups?.size ?? 1));
  const texts = targets.flatMap(({ text }) => text ?? []);
  const readsDocuments = shown?.size !== 0 || highlights !== null;
  // A search reads the documents of its matches itself where they are few: then each is as it was when it was ranked.
  const isWhole = readsDocuments && !isFused && groups === null && topK <= RECORDS_READ_MAX;
  const options = {
    namespace,
    topK,
    filter,
    includeValues: isWhole,
    includeMetadata: isWhole,
    ...readRecall(request),
  };
  return {
    ranking: { targets, fusion, isFused, groups, options },
    order,
    shown,
    facets: readFacets(request.facets, schema),
    isCounted: readCount(request.count),
    highlighter: highlights && new Highlighter(highlights, texts),
    readsDocuments,
    namespaceEcho: echo,
    tokens: vectors.tokens,
  };
}

/** A ranking costs as much as a search. @throws invalid-argument */
function boundFusion(rankings: number, matchesMax: number): void {
  if (rankings > FUSED_RANKINGS_MAX) {
    throw invalid(`score_by may have at most ${FUSED_RANKINGS_MAX} clauses with fusion, got ${rankings}`);
  }
  if (rankings * matchesMax <= FUSED_MATCHES_MAX) return;
  throw invalid(
    `With fusion, the clauses of score_by times top_k (times group_by.size) must be at most ${FUSED_MATCHES_MAX}, got ${rankings * matchesMax}`,
  );
}
