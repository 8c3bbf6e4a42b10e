// The rerank part of a records search: checked before the search, applied to its answer.

import { Buffer } from 'node:buffer';
import { fault, invalid } from '../../../domain/faults.ts';
import { checkQuery, checkRankFields, rankedTexts } from '../../../domain/inference/check-texts.ts';
import { rerankModel } from '../../../domain/inference/find-model.ts';
import type { RerankModel } from '../../../domain/inference/model.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { type RerankParameters, readRerankParameters } from '../../../domain/inference/read-parameters.ts';
import { type JsonObject, parseOwnJson } from '../../../domain/json.ts';
import { RESPONSE_BYTES_MAX } from '../../../domain/limits.ts';
import type { DataAnswer } from '../../data-request.ts';
import { bestFirst } from '../inference/ranking.ts';
import { rerankParametersOf } from '../inference/rerank-parameters.ts';
import { checkInteger, field, optionalArray, optionalString } from './request-fields.ts';
import { strings } from './search-request.ts';

export interface Rerank {
  readonly model: RerankModel;
  readonly query: string;
  readonly rankFields: readonly string[];
  /** Null keeps every hit. */
  readonly topN: number | null;
  readonly parameters: RerankParameters;
}

/** The search that a rerank part belongs to. */
export interface RerankedSearch {
  readonly inference: Inference;
  /** The text that it searches for; null where there is no single one. */
  readonly text: string | null;
  /** Names of the fields that hits show; null for every one. */
  readonly shown: ReadonlySet<string> | null;
  /** The key of the request that lists them. */
  readonly shownKey: string;
}

/** Reads a rerank part. @throws invalid-argument, unknown-model */
export function readRerank(rerank: JsonObject, search: RerankedSearch): Rerank {
  const name = optionalString(rerank, 'model');
  if (name === undefined) throw invalid('rerank.model is required');
  const model = rerankModel(search.inference, name);
  const topN = field(rerank, 'topN');
  return {
    model,
    query: rerankQuery(rerank, search.text),
    rankFields: readRankFields(rerank, model, search),
    topN:
      topN === undefined
        ? null
        : checkInteger(topN, 'rerank.top_n', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    parameters: readRerankParameters(model, rerankParametersOf(rerank), { path: 'rerank.parameters' }),
  };
}

function rerankQuery(rerank: JsonObject, text: string | null): string {
  const query = optionalString(rerank, 'query') ?? text;
  if (query === null) throw invalid('rerank.query is required where the search is not by one text');
  checkQuery(query, 'rerank.query');
  return query;
}

function readRankFields(
  rerank: JsonObject,
  model: RerankModel,
  { shown, shownKey }: RerankedSearch,
): readonly string[] {
  const rankFields = strings(optionalArray(rerank, 'rankFields') ?? [], 'rerank.rank_fields');
  checkRankFields(model, rankFields);
  const missing = shown === null ? undefined : rankFields.find((name) => !shown.has(name));
  if (missing !== undefined)
    throw invalid(`rerank.rank_fields: '${missing}' must also be listed in ${shownKey}`);
  return rankFields;
}

interface Hit {
  readonly _id: string;
  readonly _score: number;
  readonly fields: JsonObject;
}
interface Found {
  readonly result: { readonly hits: readonly Hit[] };
  readonly usage: Readonly<Record<string, number>>;
}

export interface RerankTools {
  readonly inference: Inference;
  readonly signal: AbortSignal;
}

/**
 * Reranks the hits of an answer of search_records. They get the scores of the model.
 * @throws as `rerankHits`
 */
export async function rerankReply(
  reply: DataAnswer,
  rerank: Rerank,
  tools: RerankTools,
): Promise<DataAnswer> {
  // The answer of the search endpoint, as `searchRecords` wrote it.
  const found = parseOwnJson<Found>(Buffer.from(reply.body).toString());
  const { hits, units } = await rerankHits(found.result.hits, rerank, {
    ...tools,
    fieldsOf: ({ fields }) => fields,
    topKKey: 'query.top_k',
  });
  const usage = { ...found.usage, rerank_units: units, ...egressBytes(found.usage, hits) };
  return boundedReply(reply, { ...found, result: { hits }, usage });
}

/** The bytes of the hits, where the usage of a search counts them. */
export function egressBytes(usage: Found['usage'], hits: readonly object[]): object {
  if (usage.egress_bytes === undefined) return {};
  return { egress_bytes: Buffer.byteLength(JSON.stringify(hits)) - '[]'.length };
}

/** The reply with another body. @throws response-too-big */
export function boundedReply(reply: DataAnswer, answer: object): DataAnswer {
  const body = JSON.stringify(answer);
  if (Buffer.byteLength(body) > RESPONSE_BYTES_MAX) throw fault('response-too-big');
  return { ...reply, body };
}

/**
 * The top hits by the scores of the model, which replace their own.
 * @throws invalid-argument for too many hits, or one without a rank field; what the model throws
 */
export async function rerankHits<One extends { readonly _score: number | null }>(
  hits: readonly One[],
  { model, query, rankFields, topN, parameters }: Rerank,
  {
    inference,
    signal,
    fieldsOf,
    topKKey,
  }: RerankTools & { readonly fieldsOf: (hit: One) => JsonObject; readonly topKKey: string },
): Promise<{ readonly hits: readonly One[]; readonly units: number }> {
  if (hits.length === 0) return { hits, units: 0 };
  if (hits.length > model.maxBatchSize) {
    throw invalid(
      `The search found ${hits.length} records, and model '${model.name}' reranks at most ${model.maxBatchSize}: lower ${topKKey}`,
    );
  }
  const documents = rankedTexts(model, hits.map(fieldsOf), rankFields);
  const { scores, rerankUnits } = await inference.rerank({ model, query, documents, parameters }, { signal });
  const ranked = bestFirst(scores, topN ?? hits.length).flatMap(({ index, score }) => {
    const hit = hits[index];
    return hit === undefined ? [] : [{ ...hit, _score: score }];
  });
  return { hits: ranked, units: rerankUnits };
}
