// Puts together what answers questions and judges answers: the built-in parts, and a language model where one is set.

import { CHAT_MODEL_DEFAULT, type ChatModel, providerModel } from '../../domain/assistants/chat-models.ts';
import { type EndpointOptions, ModelEndpoint } from '../../inference/language-models/model-endpoint.ts';
import { builtInSimilarity } from './chat/built-in-similarity.ts';
import type { ChatProvider } from './chat/chat-provider.ts';
import type { ChatService } from './chat/chat-service.ts';
import { EXTRACTIVE_MODEL, extractiveProvider } from './chat/extractive/extractive-provider.ts';
import { ChatDesk } from './chat/grounded-chat.ts';
import { openAiProvider } from './chat/openai-provider.ts';
import type { EvaluationService } from './evaluation/evaluation-service.ts';
import { modelJudge } from './evaluation/model-judge.ts';
import { wordJudge } from './evaluation/word-judge.ts';
import type { PageImages } from './files/page-images.ts';
import { modelDescriber } from './ingestion/model-describer.ts';
import type { PictureDescriber } from './ingestion/picture-describer.ts';
import type { Retriever } from './retrieval/retriever.ts';
import { type TokenCounter, tokenCounter } from './token-counter.ts';

const SECOND_MS = 1_000;

export interface ChatSettings {
  /** Up to and without `/chat/completions`; null for none: then the built-in parts answer and judge. */
  readonly chatUrl: string | null;
  readonly chatKey: string | null;
  /** Name asked for -> name of the endpoint, or of the built-in answerer; `*` for the rest. */
  readonly chatModels: Readonly<Record<string, string>> | null;
  readonly chatImages: boolean;
  readonly chatSeconds: number;
  readonly chatSilenceSeconds: number;
  readonly chatParallel: number;
  readonly chatQueueMax: number;
}

/** What asks the language model, where one is set. */
export interface ChatModels {
  readonly settings: ChatSettings;
  readonly endpoint: ModelEndpoint | null;
  readonly countTokens: TokenCounter;
  /** Null where no model reads pictures. */
  readonly describer: PictureDescriber | null;
}

export interface ChatParts {
  readonly models: ChatModels;
  readonly retriever: Pick<Retriever, 'retrieve'>;
  /** Absent: files have none. */
  readonly images?: PageImages | undefined;
}

export interface OpenChat {
  readonly chat: ChatService;
  readonly evaluation: EvaluationService;
}

export function openChatModels(
  settings: ChatSettings,
  onTrouble: NonNullable<EndpointOptions['onTrouble']>,
): ChatModels {
  const endpoint = endpointOf(settings, onTrouble);
  const model = providerModel(CHAT_MODEL_DEFAULT, settings.chatModels ?? {});
  const describes = endpoint !== null && settings.chatImages && model !== EXTRACTIVE_MODEL;
  const describer = describes ? modelDescriber({ endpoint, model }) : null;
  return { settings, endpoint, countTokens: tokenCounter(), describer };
}

export function openChat({ models, retriever, images }: ChatParts): OpenChat {
  const { settings, endpoint, countTokens } = models;
  const builtIn = extractiveProvider({ similarity: builtInSimilarity, countTokens });
  const names = settings.chatModels ?? {};
  const providerOf = (asked: ChatModel): ChatProvider | null => {
    const model = providerModel(asked, names);
    if (endpoint === null || model === EXTRACTIVE_MODEL) return null;
    return openAiProvider({ endpoint, model, readsImages: settings.chatImages, countTokens });
  };
  const judge = providerModel(CHAT_MODEL_DEFAULT, names);
  return {
    chat: new ChatDesk({ retriever, providerOf, builtIn, countTokens, images }),
    evaluation:
      endpoint === null || judge === EXTRACTIVE_MODEL
        ? wordJudge(countTokens)
        : modelJudge({ endpoint, model: judge, countTokens }),
  };
}

/** One for all names: they share the bounds of the one address behind them. */
function endpointOf(
  settings: ChatSettings,
  onTrouble: NonNullable<EndpointOptions['onTrouble']>,
): ModelEndpoint | null {
  if (settings.chatUrl === null) return null;
  return new ModelEndpoint({
    baseUrl: settings.chatUrl,
    apiKey: settings.chatKey,
    parallelMax: settings.chatParallel,
    waitingMax: settings.chatQueueMax,
    silenceMsMax: settings.chatSilenceSeconds * SECOND_MS,
    answerMsMax: settings.chatSeconds * SECOND_MS,
    onTrouble,
  });
}
