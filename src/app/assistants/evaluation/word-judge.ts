// Evaluations without a language model: by words, always with the same result.
import { type TokenCounter, tokensOfAll } from '../token-counter.ts';
import { alignmentOf } from './alignment.ts';
import type { EvaluationService } from './evaluation-service.ts';

export function wordJudge(countTokens: TokenCounter): EvaluationService {
  return {
    alignment: async (evaluated, signal) => {
      signal.throwIfAborted();
      const { question, answer, groundTruth } = evaluated;
      const promptTokens = await tokensOfAll([question, answer, groundTruth], countTokens);
      return { ...(await alignmentOf(evaluated)), usage: { promptTokens, completionTokens: 0 } };
    },
  };
}
