// POST /assistant/assistants: creates an assistant.
import { ASSISTANT_NAME_PATTERN } from '../../../../domain/assistants/assistant-rules.ts';
import { ASSISTANT_NAME_CHARS_MAX } from '../../../../domain/assistants/limits.ts';
import { invalid } from '../../../../domain/faults.ts';
import { Type } from '../../../schema/type.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import {
  ASSISTANT_FIELDS,
  AssistantObject,
  assistantBody,
  assistantToWire,
  changeOf,
} from './assistant-wire.ts';

export const createAssistant: JsonEndpoint = {
  kind: 'json',
  id: 'create_assistant',
  method: 'POST',
  path: '/assistant/assistants',
  tag: 'Assistants',
  summary: 'Create an assistant',
  description: 'It is Initializing when this answers, and takes files and questions when it is Ready.',
  since: '2025-01',
  permission: 'control_plane::assistants::create',
  errors: 'standard',
  body: Type.Object({
    name: Type.String({
      examples: ['helper'],
      minLength: 1,
      maxLength: ASSISTANT_NAME_CHARS_MAX,
      pattern: ASSISTANT_NAME_PATTERN,
      description:
        "Letters, digits, '-' and '_'. Unique in the project; names that differ in case are different.",
    }),
    ...ASSISTANT_FIELDS,
  }),
  success: { status: 200, description: 'The assistant that is being made.', schema: AssistantObject },
  faults: ['invalid-argument', 'name-taken', 'unknown-model'],
  handle: async ({ access, body: json, services }) => {
    const body = assistantBody(json);
    const { name } = body;
    if (typeof name !== 'string') throw invalid('Invalid assistant name: name is required, as a string.');
    const assistant = await services.assistants.create(access, { name, ...changeOf(body) });
    return { status: 200, body: assistantToWire(assistant, services.host()) };
  },
};
