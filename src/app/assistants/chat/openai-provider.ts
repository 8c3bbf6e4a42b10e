// Chats answered by a language model: its marks become citations.
import { takesTemperature } from '../../../domain/assistants/chat-models.ts';
import { CONTEXT_TOKENS_DEFAULT } from '../../../domain/assistants/limits.ts';
import type { LanguageModel } from '../../../domain/inference/language-model.ts';
import { newFence } from '../prompt-parts.ts';
import type { TokenCounter } from '../token-counter.ts';
import { HeardAnswer } from './answer-text/heard-answer.ts';
import { jsonParts } from './answer-text/json-parts.ts';
import type { AnswerPart, ChatProvider, ChatQuestion } from './chat-provider.ts';
import { citeMarks } from './citations/cite-marks.ts';
import { markUnsupported } from './citations/mark-unsupported.ts';
import { fittedQuestion } from './fit-question.ts';
import { promptOf } from './prompt.ts';

export interface OpenAiOptions {
  readonly languageModel: LanguageModel;
  /** The provider's name of the model. */
  readonly model: string;
  /** Whether it reads pictures. */
  readonly readsImages: boolean;
  readonly countTokens: TokenCounter;
  /** Tokens of prompt and answer together; null to ask the server. */
  readonly contextTokens: number | null;
}

export function openAiProvider(options: OpenAiOptions): ChatProvider {
  const { model, readsImages } = options;
  return {
    answeredBy: model,
    readsImages,
    fit: async (question) => {
      const { languageModel, contextTokens, countTokens } = options;
      const known = contextTokens ?? (await languageModel.contextTokens?.(model)) ?? CONTEXT_TOKENS_DEFAULT;
      return await fittedQuestion(question, known, countTokens);
    },
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
  const request = { model, messages, temperature, isJson, options };
  const heard = new HeardAnswer(languageModel, request, signal);
  if (isJson) yield* jsonParts(heard);
  else if (question.marksUnsupported) yield* markUnsupported(citeMarks(heard.texts(), chunks));
  else yield* citeMarks(heard.texts(), chunks);
  yield* heard.ending(() => promptTokens(question, countTokens), countTokens);
}

/** For providers that do not count tokens. */
async function promptTokens(
  { historyTokens, instructions, chunks }: ChatQuestion,
  countTokens: TokenCounter,
): Promise<number> {
  const files = chunks.reduce((sum, { tokens }) => sum + tokens, 0);
  return historyTokens + files + (await countTokens(instructions ?? ''));
}
