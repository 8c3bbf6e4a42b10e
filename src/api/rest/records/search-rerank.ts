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
import { checkInteger, field, optionalArray, optionalObject, optionalString } from './request-fields.ts';
import { readFields, strings } from './search-request.ts';

export interface Rerank {
  readonly model: RerankModel;
  readonly query: string;
  readonly rankFields: readonly string[];
  /** Null keeps every hit. */
  readonly topN: number | null;
  readonly parameters: RerankParameters;
}

/** Reads the rerank part; null when absent. @param text that of the search. @throws invalid-argument, unknown-model */
export function readRerank(request: JsonObject, inference: Inference, text: string | null): Rerank | null {
  const rerank = optionalObject(request, 'rerank');
  if (rerank === undefined) return null;
  const name = optionalString(rerank, 'model');
  if (name === undefined) throw invalid('rerank.model is required');
  const model = rerankModel(inference, name);
  const topN = field(rerank, 'topN');
  return {
    model,
    query: rerankQuery(rerank, text),
    rankFields: readRankFields(rerank, model, readFields(request)),
    topN:
      topN === undefined
        ? null
        : checkInteger(topN, 'rerank.top_n', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    parameters: readRerankParameters(model, rerankParametersOf(rerank), { path: 'rerank.parameters' }),
  };
}

function rerankQuery(rerank: JsonObject, text: string | null): string {
  const query = optionalString(rerank, 'query') ?? text;
  if (query === null) throw invalid('rerank.query is required for searches by vector or id');
  checkQuery(query, 'rerank.query');
  return query;
}

function readRankFields(
  rerank: JsonObject,
  model: RerankModel,
  fields: ReadonlySet<string> | null,
): readonly string[] {
  const rankFields = strings(optionalArray(rerank, 'rankFields') ?? [], 'rerank.rank_fields');
  checkRankFields(model, rankFields);
  const missing = fields === null ? undefined : rankFields.find((name) => !fields.has(name));
  if (missing !== undefined) throw invalid(`rerank.rank_fields: '${missing}' must also be listed in fields`);
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
 * Reranks the hits of a search's answer. They get the scores of the model.
 * @throws invalid-argument for too many hits, or one without a rank field; what the model throws
 */
export async function rerankReply(
  reply: DataAnswer,
  rerank: Rerank,
  tools: RerankTools,
): Promise<DataAnswer> {
  const { model } = rerank;
  // The answer of the search endpoint, as `searchRecords` wrote it.
  const found = parseOwnJson<Found>(Buffer.from(reply.body).toString());
  const { hits } = found.result;
  if (hits.length > model.maxBatchSize) {
    throw invalid(
      `The search found ${hits.length} records, and model '${model.name}' reranks at most ${model.maxBatchSize}: lower query.top_k`,
    );
  }
  const { ranked, units } = hits.length === 0 ? { ranked: [], units: 0 } : await rank(hits, rerank, tools);
  const body = answer(found, ranked, units);
  if (Buffer.byteLength(body) > RESPONSE_BYTES_MAX) throw fault('response-too-big');
  return { ...reply, body };
}

async function rank(hits: readonly Hit[], rerank: Rerank, { inference, signal }: RerankTools) {
  const { model, query, rankFields, topN, parameters } = rerank;
  const documents = rankedTexts(
    model,
    hits.map(({ fields }) => fields),
    rankFields,
  );
  const { scores, rerankUnits } = await inference.rerank({ model, query, documents, parameters }, { signal });
  const ranked = bestFirst(scores, topN ?? hits.length).flatMap(({ index, score }) => {
    const hit = hits[index];
    return hit === undefined ? [] : [{ ...hit, _score: score }];
  });
  return { ranked, units: rerankUnits };
}

function answer(found: Found, hits: readonly Hit[], units: number): string {
  const { usage } = found;
  const bytes =
    usage.egress_bytes === undefined ? {} : { egress_bytes: Buffer.byteLength(JSON.stringify(hits)) - 2 };
  return JSON.stringify({ ...found, result: { hits }, usage: { ...usage, rerank_units: units, ...bytes } });
}
