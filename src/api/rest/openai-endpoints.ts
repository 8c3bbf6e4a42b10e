// The endpoints in the OpenAI form.
import { createChatCompletion } from './openai/create-chat-completion.ts';
import { createEmbeddings } from './openai/create-embeddings.ts';
import { listOpenAiModels } from './openai/list-openai-models.ts';
import type { OpenAiEndpoint } from './openai/openai-endpoint.ts';
import { retrieveOpenAiModel } from './openai/retrieve-openai-model.ts';

export const openAiEndpoints: readonly OpenAiEndpoint[] = [
  createChatCompletion,
  createEmbeddings,
  listOpenAiModels,
  retrieveOpenAiModel,
];
