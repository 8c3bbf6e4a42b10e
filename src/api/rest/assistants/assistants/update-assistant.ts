// PATCH /assistant/assistants/{assistant_name}: changes instructions and metadata.
import { Type } from '../../../schema/type.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import {
  ASSISTANT,
  ASSISTANT_FIELDS,
  AssistantName,
  AssistantObject,
  AssistantParams,
  assistantBody,
  assistantToWire,
  changeOf,
} from './assistant-wire.ts';

export const updateAssistant: JsonEndpoint = {
  kind: 'json',
  id: 'update_assistant',
  method: 'PATCH',
  path: '/assistant/assistants/{assistant_name}',
  tag: 'Assistants',
  summary: 'Update an assistant',
  description:
    'Fields that are left out or null keep their value; an empty text or object clears one. Metadata is replaced as a whole.',
  since: '2025-01',
  permission: 'control_plane::assistants::configure',
  errors: 'standard',
  params: AssistantParams,
  bodyOptional: true,
  body: Type.Object(ASSISTANT_FIELDS),
  success: {
    status: 200,
    description: 'The assistant as it is now.',
    schema: Type.Object(
      { ...AssistantObject.properties, assistant_name: AssistantName },
      { title: 'UpdatedAssistant', examples: [{ ...ASSISTANT, assistant_name: ASSISTANT.name }] },
    ),
  },
  faults: ['invalid-argument', 'assistant-not-found'],
  handle: async ({ access, params, body, services }) => {
    const { assistant_name: name = '' } = params;
    // The body is checked only for callers that may see the assistant.
    await services.assistants.describe(access, name);
    const change = changeOf(assistantBody(body ?? {}));
    const assistant = await services.assistants.change(access, name, change);
    const shown = assistantToWire(assistant, services.host());
    return { status: 200, body: { ...shown, assistant_name: shown.name } };
  },
};
