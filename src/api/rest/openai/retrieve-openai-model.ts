// GET /v1/models/{model}: describes a model in the OpenAI form.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { OpenAiModel, openAiModel } from './model-ids.ts';
import { OPENAI_FORM, type OpenAiCall, type OpenAiEndpoint } from './openai-endpoint.ts';

async function handle(call: OpenAiCall): Promise<Reply> {
  const { model = '' } = call.params;
  const found = await openAiModel(call, model);
  if (found === null) throw fault('openai-model-not-found', { model: model.slice(0, 100) });
  return { status: 200, body: found };
}

export const retrieveOpenAiModel: OpenAiEndpoint = {
  ...OPENAI_FORM,
  id: 'retrieve_openai_model',
  method: 'GET',
  path: '/v1/models/{model}',
  // Ids have slashes: assistant/NAME, and those of hubs.
  isOpenEnded: true,
  summary: 'Describe a model in the OpenAI form',
  permission: 'data_plane::inference::use',
  params: Type.Object({ model: Type.String({ examples: ['llama-text-embed-v2'] }) }),
  success: { status: 200, description: 'The model.', schema: OpenAiModel },
  faults: ['openai-model-not-found'],
  handle,
};
