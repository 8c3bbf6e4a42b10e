// Rerank models at HTTP providers: the Cohere API, which most servers implement, and the TEI API.
import type { Truncation } from '../../../domain/inference/model-parameters.ts';
import { type FittedPairs, fitPairs, inBatchOrder } from '../../fit-texts.ts';
import type { RerankBatch } from '../../ports.ts';
import type { HttpSetting } from '../../settings/provider-settings.ts';
import type { Send } from './embed-over-http.ts';
import { byIndex, finite, invalidResponse, listIn, objectIn } from './read-answers.ts';
import { teiTruncation } from './tei-truncation.ts';

export interface HttpRerankerParts {
  readonly setting: HttpSetting;
  readonly send: Send;
}

/** @throws TooLong, ProviderError, or the signal's reason */
export async function rerankOverHttp(
  parts: HttpRerankerParts,
  batch: RerankBatch,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const pairs = fitPairs(batch);
  const { truncate } = batch.parameters;
  const scores: (readonly number[])[] = [];
  for (const group of pairs) scores.push(await scoresOf(parts, { ...group, truncate }, signal));
  return inBatchOrder(pairs, scores);
}

async function scoresOf(
  { setting, send }: HttpRerankerParts,
  { query, documents, truncate }: FittedPairs & { readonly truncate: Truncation },
  signal: AbortSignal,
): Promise<readonly number[]> {
  if (setting.provider === 'tei') {
    const body = { query, texts: documents, ...teiTruncation(truncate) };
    const answer = await send({ path: '/rerank', body }, signal);
    return byIndex(listIn(answer, 'the answer'), documents.length).map(({ score }) => scoreOf(score));
  }
  const body = { model: setting.model, query, documents, top_n: documents.length };
  const answer = objectIn(await send({ path: '/rerank', body }, signal), 'the answer');
  const results = byIndex(listIn(answer.results, 'results'), documents.length);
  return results.map(({ relevance_score }) => scoreOf(relevance_score));
}

/** Servers round, so scores slightly out of range are accepted. */
const ROUNDING = 1e-3;

function scoreOf(value: unknown): number {
  const score = finite(value);
  if (score < -ROUNDING || score > 1 + ROUNDING) throw invalidResponse('a score is not between 0 and 1');
  return Math.min(1, Math.max(0, score));
}
