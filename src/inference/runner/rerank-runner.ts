// Scores the documents of a request, or judges hypotheses: cached results are used, the rest goes to the provider.
import { invalid } from '../../domain/faults.ts';
import type { RerankModel } from '../../domain/inference/model.ts';
import type {
  InferRequest,
  NliProbabilities,
  RerankRequest,
  RerankResult,
} from '../../domain/inference/port.ts';
import type { RerankBatch, Reranker } from '../ports.ts';
import { TooLong } from '../provider-errors.ts';
import { batchesOf } from './batches.ts';
import type { CallRunner } from './call-runner.ts';
import { contentKey, type ResultCache } from './result-cache.ts';

/** One for each request of any size, as the hosted service counts ordinary requests. */
const UNITS_OF_REQUEST = 1;
const SCORE_BYTES = 8;
const JUDGEMENT_BYTES = 24;

export interface RerankRunnerParts {
  readonly model: RerankModel;
  readonly reranker: Reranker;
  readonly calls: CallRunner;
  readonly scores: ResultCache<number>;
  readonly judgements: ResultCache<NliProbabilities>;
}

type Request = Pick<RerankRequest, 'query' | 'documents' | 'parameters'>;

/** What is computed for each document. */
interface Task<Result> {
  readonly compute: (batch: RerankBatch, signal: AbortSignal) => Promise<readonly Result[]>;
  readonly cache: ResultCache<Result>;
  readonly resultBytes: number;
}

export class RerankRunner {
  readonly #parts: RerankRunnerParts;

  constructor(parts: RerankRunnerParts) {
    this.#parts = parts;
  }

  get tellsEntailment(): boolean {
    return this.#parts.reranker.infer !== undefined;
  }

  /** @throws as Inference.rerank */
  async rerank(request: Request, signal: AbortSignal | undefined): Promise<RerankResult> {
    const { reranker, scores: cache } = this.#parts;
    const compute: Reranker['score'] = (batch, ending) => reranker.score(batch, ending);
    const scores = await this.#computed(request, { compute, cache, resultBytes: SCORE_BYTES }, signal);
    return { scores, rerankUnits: UNITS_OF_REQUEST };
  }

  /** @throws as Inference.infer */
  async infer(
    { premise, hypotheses }: InferRequest,
    signal: AbortSignal | undefined,
  ): Promise<readonly NliProbabilities[]> {
    const { reranker, model, judgements: cache } = this.#parts;
    const compute: Reranker['infer'] = (batch, ending) => {
      if (reranker.infer === undefined) throw new Error(`${model.name} does not tell entailment`);
      return reranker.infer(batch, ending);
    };
    const parameters = { truncate: 'END', tokensMax: model.maxSequenceLength } as const;
    const request: Request = { query: premise, documents: hypotheses, parameters };
    return await this.#computed(request, { compute, cache, resultBytes: JUDGEMENT_BYTES }, signal);
  }

  /** The result of each document, in their order. */
  async #computed<Result>(
    request: Request,
    { compute, cache, resultBytes }: Task<Result>,
    signal: AbortSignal | undefined,
  ): Promise<readonly Result[]> {
    const { reranker, calls } = this.#parts;
    const query = request.query.toWellFormed();
    const documents = request.documents.map((document) => document.toWellFormed());
    const keyOf = this.#keys({ ...request, query });
    const keys = reranker.isCached ? documents.map(keyOf) : [];
    const results = documents.map((_, position) => {
      const key = keys[position];
      return key === undefined ? undefined : cache.get(key);
    });
    const missing = [...documents.keys()].filter((position) => results[position] === undefined);
    const uncached = missing.map((position) => documents[position] ?? '');
    const batches = batchesOf(uncached, reranker.bounds).map((batch) => async (ending: AbortSignal) => {
      const positions = batch.map((index) => missing[index] ?? 0);
      const texts = positions.map((position) => documents[position] ?? '');
      const answer = await this.#ask({ ...request, query, documents: texts }, positions, (asked) =>
        compute(asked, ending),
      );
      for (const [index, position] of positions.entries()) {
        const [key, result] = [keys[position], answer[index]];
        results[position] = result;
        // At once: when another batch fails, the request comes again.
        if (key !== undefined && result !== undefined) cache.set(key, result, resultBytes);
      }
    });
    await calls.run({ queue: 'interactive', signal, batches });
    return results.map(present);
  }

  async #ask<Result>(
    { query, documents, parameters }: Request,
    positions: readonly number[],
    compute: (batch: RerankBatch) => Promise<readonly Result[]>,
  ): Promise<readonly Result[]> {
    const { model } = this.#parts;
    try {
      const { limitCounts, maxSequenceLength: pairTokensMax } = model;
      return await compute({ query, documents, parameters, limitCounts, pairTokensMax });
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      const position = positions[error.position];
      if (error.refusal !== undefined)
        throw invalid(`Document ${position} is refused by model '${model.name}': ${error.refusal}.`);
      const counted = model.limitCounts === 'pair' ? 'query+document pair' : 'document';
      throw invalid(
        `Request contains a ${counted} with ${error.tokens} tokens, at document index ${position}, which exceeds the maximum token limit of ${error.tokensMax} for each ${counted} of model '${model.name}'. Shorten it, or set parameters.truncate to END.`,
      );
    }
  }

  #keys({ query, parameters }: Request): (document: string) => string {
    const { model, reranker } = this.#parts;
    const { provider, revision } = reranker.source;
    const limits = `${parameters.truncate} ${parameters.tokensMax}`;
    return (document) => contentKey([model.name, provider, revision, limits, query, document]);
  }
}

function present<Result>(result: Result | undefined): Result {
  if (result === undefined) throw new Error('the provider returned fewer results than documents');
  return result;
}
