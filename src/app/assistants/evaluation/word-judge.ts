// Evaluations without a language model: by words, and by a local model of natural language inference where one is served.
import { type TokenCounter, tokensOfAll } from '../token-counter.ts';
import { alignmentOf } from './alignment.ts';
import type { EvaluationService } from './evaluation-service.ts';
import type { Infer } from './nli-facts.ts';

/** Judges as `Infer` does, until the signal ends it. */
export type InferUntil = (...args: [...Parameters<Infer>, signal: AbortSignal]) => ReturnType<Infer>;

/** @param inferUntil null to judge by words alone */
export function wordJudge(
  countTokens: TokenCounter,
  inferUntil: InferUntil | null = null,
): EvaluationService {
  return {
    alignment: async (evaluated, signal) => {
      signal.throwIfAborted();
      const { question, answer, groundTruth } = evaluated;
      const promptTokens = await tokensOfAll([question, answer, groundTruth], countTokens);
      const infer: Infer | null =
        inferUntil === null ? null : (premise, hypotheses) => inferUntil(premise, hypotheses, signal);
      return { ...(await alignmentOf(evaluated, infer)), usage: { promptTokens, completionTokens: 0 } };
    },
  };
}
