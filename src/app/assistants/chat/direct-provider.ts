// Conversations with a language model alone: no files, no prompt of ours.
import type { LanguageModel } from '../../../domain/inference/language-model.ts';
import type { TokenCounter } from '../token-counter.ts';
import { HeardAnswer } from './answer-text/heard-answer.ts';
import { jsonParts } from './answer-text/json-parts.ts';
import type { AnswerPart } from './chat-provider.ts';
import type { DirectRequest } from './chat-service.ts';
import { modelMessage } from './model-message.ts';

export interface DirectParts {
  readonly languageModel: LanguageModel;
  /** The provider's name of the model. */
  readonly model: string;
  readonly historyTokens: number;
  readonly countTokens: TokenCounter;
}

/** @throws chat-unavailable, overloaded, invalid-argument; the signal's reason */
export async function* directAnswer(
  { languageModel, model, historyTokens, countTokens }: DirectParts,
  { messages, temperature, isJson, options, signal }: DirectRequest,
): AsyncGenerator<AnswerPart> {
  const request = { model, messages: messages.map(modelMessage), temperature, isJson, options };
  const heard = new HeardAnswer(languageModel, request, signal);
  if (isJson) yield* jsonParts(heard);
  else for await (const text of heard.texts()) yield { type: 'text', text };
  yield* heard.ending(async () => historyTokens, countTokens);
}
