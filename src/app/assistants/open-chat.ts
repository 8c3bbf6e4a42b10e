// Composes what answers questions and judges answers: built-in parts, and a language model where one is configured.

import {
  CHAT_MODEL_DEFAULT,
  type ChatModelNames,
  providerModel,
} from '../../domain/assistants/chat-models.ts';
import type { LanguageModel } from '../../domain/inference/language-model.ts';
import type { Similarity } from './chat/answer-model.ts';
import { ChatModels } from './chat/chat-models.ts';
import type { ChatProvider } from './chat/chat-provider.ts';
import type { ChatService } from './chat/chat-service.ts';
import { EXTRACTIVE_MODEL, extractiveProvider } from './chat/extractive/extractive-provider.ts';
import { GroundedChat } from './chat/grounded-chat.ts';
import { openAiProvider } from './chat/openai-provider.ts';
import type { EvaluationService } from './evaluation/evaluation-service.ts';
import { modelJudge } from './evaluation/model-judge.ts';
import { type InferUntil, wordJudge } from './evaluation/word-judge.ts';
import type { PageImages } from './files/page-images.ts';
import { modelDescriber } from './ingestion/model-describer.ts';
import type { PictureDescriber } from './ingestion/picture-describer.ts';
import type { Retriever } from './retrieval/retriever.ts';
import type { TableAnswers } from './tables/table-answers.ts';
import type { TokenCounter } from './token-counter.ts';

export interface ChatSettings {
  /** Maps a requested name to the endpoint's name or to the built-in answerer's; `*` stands for the rest. */
  readonly chatModels: ChatModelNames | null;
  readonly chatImages: boolean;
  /** Tokens of prompt and answer together; null to ask the server of the model. */
  readonly chatContextTokens: number | null;
}

export interface AnsweringParts {
  readonly settings: ChatSettings;
  /** Null when none is configured: then the built-in parts answer and judge. */
  readonly languageModel: LanguageModel | null;
  readonly countTokens: TokenCounter;
  /** Rates passages for the built-in answerer, whose bounds are tuned to its scores. */
  readonly similarity: Similarity;
}

/** Who judges evaluations; `infer` is a model that helps judging by words. */
export type Judge =
  | { readonly by: 'language-model' }
  | { readonly by: 'words'; readonly infer: InferUntil | null };

export interface ChatParts extends AnsweringParts {
  /** Absent: the language model where there is one, else words. */
  readonly judge?: Judge | undefined;
  /** Computes over the tables of files. Absent: none is. */
  readonly tables?: TableAnswers | undefined;
  readonly retriever: Pick<Retriever, 'retrieve'>;
  /** Absent when files have no pictures. */
  readonly images?: PageImages | undefined;
}

export interface OpenChat {
  readonly chat: ChatService;
  readonly evaluation: EvaluationService;
}

/** Returns null when no model reads pictures. */
export function openDescriber({
  settings,
  languageModel,
}: Pick<AnsweringParts, 'settings' | 'languageModel'>): PictureDescriber | null {
  const model = providerModel(CHAT_MODEL_DEFAULT, settings.chatModels ?? {});
  if (languageModel === null || !settings.chatImages || model === EXTRACTIVE_MODEL) return null;
  return modelDescriber({ languageModel, model });
}

export function openChat(parts: ChatParts): OpenChat {
  const { settings, languageModel, countTokens, similarity, retriever, images, tables } = parts;
  const builtIn = extractiveProvider({ similarity, countTokens });
  const names = settings.chatModels ?? {};
  const models = new ChatModels(languageModel, names);
  const providerOf = (model: string): ChatProvider =>
    languageModel === null
      ? builtIn
      : openAiProvider({
          languageModel,
          model,
          readsImages: settings.chatImages,
          countTokens,
          contextTokens: settings.chatContextTokens,
        });
  const model = providerModel(CHAT_MODEL_DEFAULT, names);
  const byModel = languageModel !== null && model !== EXTRACTIVE_MODEL && parts.judge?.by !== 'words';
  return {
    chat: new GroundedChat({
      retriever,
      models,
      providerOf,
      languageModel,
      builtIn,
      countTokens,
      images,
      tables,
    }),
    evaluation: byModel
      ? modelJudge({ languageModel, model, countTokens })
      : wordJudge(countTokens, parts.judge?.by === 'words' ? parts.judge.infer : null),
  };
}
