// GET /assistant/assistants/{assistant_name}: describes an assistant and gives its address.
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import { AssistantObject, AssistantParams, assistantToWire } from './assistant-wire.ts';

export const describeAssistant: JsonEndpoint = {
  kind: 'json',
  id: 'get_assistant',
  method: 'GET',
  path: '/assistant/assistants/{assistant_name}',
  tag: 'Assistants',
  summary: 'Describe an assistant',
  since: '2025-01',
  permission: 'control_plane::assistants::describe',
  errors: 'standard',
  params: AssistantParams,
  success: { status: 200, description: 'The assistant.', schema: AssistantObject },
  faults: ['assistant-not-found'],
  handle: async ({ access, params, services }) => {
    const assistant = await services.assistants.describe(access, params.assistant_name ?? '');
    return { status: 200, body: assistantToWire(assistant, services.host()) };
  },
};
