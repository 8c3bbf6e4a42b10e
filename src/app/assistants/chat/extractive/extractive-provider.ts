// The built-in answerer as a chat provider, without model, network or key.

import type { TokenCounter } from '../../token-counter.ts';
import type { Similarity } from '../answer-model.ts';
import { type AnswerPart, type ChatProvider, questionText } from '../chat-provider.ts';
import { partsOf } from '../whole-answer.ts';
import { extractiveAnswer } from './extractive-answer.ts';
import { asJsonAnswer } from './json-answer.ts';

export const EXTRACTIVE_MODEL = 'pinyon-extractive';
/** Only the beginning of a longer question counts, so that the work stays bounded. */
const QUESTION_CHARACTERS_MAX = 4_000;

export interface ExtractiveParts {
  readonly similarity: Similarity;
  readonly countTokens: TokenCounter;
}

/** Answers the last question; earlier messages, instructions and temperature do not affect quotes. */
export function extractiveProvider({ similarity, countTokens }: ExtractiveParts): ChatProvider {
  return {
    answeredBy: EXTRACTIVE_MODEL,
    readsImages: false,
    answer: async function* (
      { messages, historyTokens, chunks, isJson },
      signal,
    ): AsyncGenerator<AnswerPart> {
      signal.throwIfAborted();
      const question = questionText(messages).slice(0, QUESTION_CHARACTERS_MAX);
      const plain = await extractiveAnswer({ question, chunks }, similarity);
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
