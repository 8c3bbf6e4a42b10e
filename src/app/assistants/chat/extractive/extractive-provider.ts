// The built-in answerer as a chat provider, without model, network or key.

import type { TokenCounter } from '../../token-counter.ts';
import type { Similarity } from '../answer-model.ts';
import type { AnswerPart, ChatProvider } from '../chat-provider.ts';
import { lastQuestion, retrievalText } from '../retrieval-query.ts';
import { partsOf } from '../whole-answer.ts';
import { extractiveAnswer } from './extractive-answer.ts';
import { asJsonAnswer } from './json-answer.ts';

export const EXTRACTIVE_MODEL = 'pinyon-extractive';

export interface ExtractiveParts {
  readonly similarity: Similarity;
  readonly countTokens: TokenCounter;
}

/** Answers the last question, with those before it that tell its subject. Instructions and temperature do not affect quotes. */
export function extractiveProvider({ similarity, countTokens }: ExtractiveParts): ChatProvider {
  return {
    answeredBy: EXTRACTIVE_MODEL,
    readsImages: false,
    answer: async function* (
      { messages, historyTokens, chunks, isJson, weights },
      signal,
    ): AsyncGenerator<AnswerPart> {
      signal.throwIfAborted();
      const question = retrievalText(messages);
      const own = lastQuestion(messages);
      const plain = await extractiveAnswer({ question, own, chunks, weights }, similarity);
      const answer = isJson ? asJsonAnswer(plain) : plain;
      yield* partsOf(answer);
      const usage = {
        promptTokens: chunks.reduce((sum, { tokens }) => sum + tokens, historyTokens),
        completionTokens: await countTokens(answer.content),
      };
      yield { type: 'end', finishReason: 'stop', usage };
    },
  };
}
