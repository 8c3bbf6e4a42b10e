// Chats answered by a language model: its marks become citations.
import { takesTemperature } from '../../../domain/assistants/chat-models.ts';
import type { AnswerUsage, LanguageModel, ModelPiece } from '../../../domain/inference/language-model.ts';
import { newFence } from '../prompt-parts.ts';
import type { TokenCounter } from '../token-counter.ts';
import type { AnswerPart, ChatProvider, ChatQuestion } from './chat-provider.ts';
import { citeMarks } from './citations/cite-marks.ts';
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

type End = Extract<ModelPiece, { readonly type: 'end' }>;

async function* answerOf(
  { languageModel, model, countTokens }: OpenAiOptions,
  question: ChatQuestion,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const { isJson, chunks } = question;
  const messages = promptOf(question, newFence());
  const temperature = takesTemperature(model) ? question.temperature : null;
  const pieces = languageModel.ask({ model, messages, temperature, isJson }, signal);
  const heard: { text: string; end: End | null } = { text: '', end: null };
  async function* texts(): AsyncGenerator<string> {
    for await (const piece of pieces) {
      if (piece.type === 'end') heard.end = piece;
      else {
        heard.text += piece.text;
        yield piece.text;
      }
    }
  }
  if (isJson) yield* jsonParts(texts());
  else yield* citeMarks(texts(), chunks);
  const usage = heard.end?.usage ?? (await usageOf(question, heard.text, countTokens));
  yield { type: 'end', finishReason: heard.end?.finishReason ?? 'stop', usage };
}

/** Models sometimes wrap objects in prose or fences; anything but an object becomes one. */
async function* jsonParts(texts: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  const text = (await Array.fromAsync(texts)).join('').trim();
  yield { type: 'text', text: isJsonObject(text) ? text : JSON.stringify({ answer: text }) };
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

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
