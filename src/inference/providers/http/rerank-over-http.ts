// Rerank models at HTTP providers: the Cohere API, which most servers implement, and the TEI API.
import type { Truncation } from '../../../domain/inference/model-parameters.ts';
import { countTokens } from '../../builtin/encoders.ts';
import { type FittedPairs, fitPairs, inBatchOrder } from '../../fit-texts.ts';
import type { RerankBatch } from '../../ports.ts';
import { TooLong } from '../../provider-errors.ts';
import type { HttpSetting } from '../../settings/provider-settings.ts';
import { answerAsAccepted } from './answer-as-accepted.ts';
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
  const scores: (readonly number[])[] = [];
  for (const group of pairs) scores.push(await scoresAsAccepted(parts, { group, batch }, signal));
  return inBatchOrder(pairs, scores);
}

async function scoresAsAccepted(
  parts: HttpRerankerParts,
  { group, batch }: { readonly group: FittedPairs; readonly batch: RerankBatch },
  signal: AbortSignal,
): Promise<readonly number[]> {
  const { parameters: limits } = batch;
  const texts = group.documents.map((text) => ({ text, tokens: countTokens(text) }));
  try {
    // Its caller needs no name of a document that is the only one.
    return await answerAsAccepted(texts, { limits, namesOne: false }, (accepted) => {
      const documents = accepted.map(({ text }) => text);
      return scoresOf(parts, { query: group.query, documents, truncate: limits.truncate }, signal);
    });
  } catch (error) {
    throw error instanceof TooLong ? new TooLong(group.positions[error.position] ?? 0, error) : error;
  }
}

interface AskedPairs extends Pick<FittedPairs, 'query' | 'documents'> {
  readonly truncate: Truncation;
}

async function scoresOf(
  { setting, send }: HttpRerankerParts,
  { query, documents, truncate }: AskedPairs,
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
