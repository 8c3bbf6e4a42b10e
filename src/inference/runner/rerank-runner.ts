// Scores the documents of a request: cached scores are used, the rest goes to the provider in batches.
import { invalid } from '../../domain/faults.ts';
import type { RerankModel } from '../../domain/inference/model.ts';
import type { RerankRequest, RerankResult } from '../../domain/inference/port.ts';
import type { RerankBatch, Reranker } from '../ports.ts';
import { TooLong } from '../provider-errors.ts';
import { batchesOf } from './batches.ts';
import type { CallRunner } from './call-runner.ts';
import { contentKey, type ResultCache } from './result-cache.ts';

/** One for each request of any size, as the hosted service counts ordinary requests. */
const UNITS_OF_REQUEST = 1;
const SCORE_BYTES = 8;

export interface RerankRunnerParts {
  readonly model: RerankModel;
  readonly reranker: Reranker;
  readonly calls: CallRunner;
  readonly cache: ResultCache<number>;
}

type Request = Pick<RerankRequest, 'query' | 'documents' | 'parameters'>;

export class RerankRunner {
  readonly #parts: RerankRunnerParts;

  constructor(parts: RerankRunnerParts) {
    this.#parts = parts;
  }

  /** @throws as Inference.rerank */
  async rerank(request: Request, signal: AbortSignal | undefined): Promise<RerankResult> {
    const { reranker, calls, cache } = this.#parts;
    const query = request.query.toWellFormed();
    const documents = request.documents.map((document) => document.toWellFormed());
    const keyOf = this.#keys({ ...request, query });
    const keys = reranker.isCached ? documents.map(keyOf) : [];
    const scores = documents.map((_, position) => {
      const key = keys[position];
      return key === undefined ? undefined : cache.get(key);
    });
    const missing = [...documents.keys()].filter((position) => scores[position] === undefined);
    const uncached = missing.map((position) => documents[position] ?? '');
    const batches = batchesOf(uncached, reranker.bounds).map((batch) => async (ending: AbortSignal) => {
      const positions = batch.map((index) => missing[index] ?? 0);
      const texts = positions.map((position) => documents[position] ?? '');
      const answer = await this.#ask({ ...request, query, documents: texts }, { positions, ending });
      for (const [index, position] of positions.entries()) scores[position] = answer[index];
    });
    await calls.run({ queue: 'interactive', signal, batches });
    for (const position of missing) this.#keep(keys[position], scores[position]);
    return { scores: scores.map(present), rerankUnits: UNITS_OF_REQUEST };
  }

  async #ask(
    { query, documents, parameters }: Request,
    { positions, ending }: { readonly positions: readonly number[]; readonly ending: AbortSignal },
  ): Promise<readonly number[]> {
    const { reranker, model } = this.#parts;
    const batch: RerankBatch = { query, documents, parameters, limitCounts: model.limitCounts };
    try {
      return await reranker.score(batch, ending);
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      const counted = model.limitCounts === 'pair' ? 'query+document pair' : 'document';
      throw invalid(
        `Request contains a ${counted} with ${error.tokens} tokens, at document index ${positions[error.position]}, which exceeds the maximum token limit of ${error.tokensMax} for each ${counted} of model '${model.name}'. Shorten it, or set parameters.truncate to END.`,
      );
    }
  }

  #keys({ query, parameters }: Request): (document: string) => string {
    const { model, reranker } = this.#parts;
    const { provider, revision } = reranker.source;
    const limits = `${parameters.truncate} ${parameters.tokensMax}`;
    return (document) => contentKey([model.name, provider, revision, limits, query, document]);
  }

  #keep(key: string | undefined, score: number | undefined): void {
    if (key !== undefined && score !== undefined) this.#parts.cache.set(key, score, SCORE_BYTES);
  }
}

function present(score: number | undefined): number {
  if (score === undefined) throw new Error('the provider returned fewer scores than documents');
  return score;
}
