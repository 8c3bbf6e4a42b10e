// GET /v1/models: lists what the OpenAI form may name as a model.
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { OpenAiModel, openAiModels } from './model-ids.ts';
import { OPENAI_FORM, type OpenAiCall, type OpenAiEndpoint } from './openai-endpoint.ts';

async function handle(call: OpenAiCall): Promise<Reply> {
  return { status: 200, body: { object: 'list', data: await openAiModels(call) } };
}

export const listOpenAiModels: OpenAiEndpoint = {
  ...OPENAI_FORM,
  id: 'list_openai_models',
  method: 'GET',
  path: '/v1/models',
  summary: 'List models in the OpenAI form',
  description:
    'Assistants of the project as assistant/NAME, for keys that may list them, language models as far as settings or their server list them, and dense embedding models.',
  permission: 'data_plane::inference::use',
  success: {
    status: 200,
    description: 'The models.',
    schema: Type.Object({ object: Type.Literal('list'), data: Type.Array(OpenAiModel) }),
  },
  faults: [],
  handle,
};
