// The built-in answerer as a provider of chats: needs no model, no network and no key.
import type { Similarity } from '../answering/answer-model.ts';
import { extractiveAnswer } from '../answering/extractive-answer.ts';
import { asJsonAnswer } from '../answering/json-answer.ts';
import { type AnswerPart, askedText, type ChatProvider } from './chat-provider.ts';
import { partsOf } from './whole-answer.ts';

export const EXTRACTIVE_MODEL = 'pinyon-extractive';

export interface ExtractiveParts {
  readonly similarity: Similarity;
  readonly countTokens: (text: string) => number;
}

/** Answers the last question; what was said before, instructions and temperature change nothing in quotes. */
export function extractiveProvider({ similarity, countTokens }: ExtractiveParts): ChatProvider {
  return {
    answeredBy: EXTRACTIVE_MODEL,
    answer: async function* ({ messages, chunks, isJson }, signal): AsyncGenerator<AnswerPart> {
      signal.throwIfAborted();
      const plain = extractiveAnswer({ question: askedText(messages), chunks }, similarity);
      const answer = isJson ? asJsonAnswer(plain) : plain;
      yield* partsOf(answer);
      const read = [...messages.map(({ content }) => content), ...chunks.map(({ text }) => text)];
      const usage = {
        promptTokens: read.reduce((sum, text) => sum + countTokens(text), 0),
        completionTokens: countTokens(answer.content),
      };
      yield { type: 'end', finishReason: 'stop', usage };
    },
  };
}
