// Chats answered by a language model: its marks become citations.
import { takesTemperature } from '../../../domain/assistants/chat-models.ts';
import type { AnswerUsage, LanguageModel } from '../../../domain/inference/language-model.ts';
import { newFence } from '../prompt-parts.ts';
import type { TokenCounter } from '../token-counter.ts';
import type { AnswerPart, ChatProvider, ChatQuestion } from './chat-provider.ts';
import { citeMarks } from './citations/cite-marks.ts';
import { HeardAnswer } from './heard-answer.ts';
import { jsonParts } from './json-parts.ts';
import { promptOf } from './prompt.ts';

export interface OpenAiOptions {
  readonly languageModel: LanguageModel;
  /** The provider's name of the model. */
  readonly model: string;
  /** Whether it reads pictures. */
  readonly readsImages: boolean;
  readonly countTokens: TokenCounter;
}

export function openAiProvider(options: OpenAiOptions): ChatProvider {
  const { model, readsImages } = options;
  return {
    answeredBy: model,
    readsImages,
    answer: (question, signal) => answerOf(options, question, signal),
  };
}

async function* answerOf(
  { languageModel, model, countTokens }: OpenAiOptions,
  question: ChatQuestion,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const { isJson, chunks, options } = question;
  const messages = promptOf(question, newFence());
  const temperature = takesTemperature(model) ? question.temperature : null;
  const heard = new HeardAnswer(languageModel.ask({ model, messages, temperature, isJson, options }, signal));
  if (isJson) yield* jsonParts(heard);
  else yield* citeMarks(heard.texts(), chunks);
  yield* heard.toolCalls();
  yield await heard.end((answer) => usageOf(question, answer, countTokens));
}

/** For providers that do not count tokens. */
async function usageOf(
  { historyTokens, instructions, chunks }: ChatQuestion,
  answer: string,
  countTokens: TokenCounter,
): Promise<AnswerUsage> {
  const files = chunks.reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    promptTokens: historyTokens + files + (await countTokens(instructions ?? '')),
    completionTokens: await countTokens(answer),
  };
}
