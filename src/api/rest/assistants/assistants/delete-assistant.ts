// DELETE /assistant/assistants/{assistant_name}: accepts the deletion, which continues after the response.
import { isAtLeast } from '../../../../domain/api-version.ts';
import type { JsonEndpoint } from '../assistant-endpoint.ts';
import { AssistantParams } from './assistant-wire.ts';

export const deleteAssistant: JsonEndpoint = {
  kind: 'json',
  id: 'delete_assistant',
  method: 'DELETE',
  path: '/assistant/assistants/{assistant_name}',
  tag: 'Assistants',
  summary: 'Delete an assistant',
  description: 'It is Terminating until all its files are gone; its name stays taken until then.',
  since: '2025-01',
  permission: 'control_plane::assistants::delete',
  errors: 'standard',
  params: AssistantParams,
  success: { status: 200, description: 'The deletion has begun.' },
  faults: ['assistant-not-found'],
  handle: async ({ access, params, services, version }) => {
    const isPolled = !isAtLeast(version, '2026-04');
    await services.assistants.remove(access, params.assistant_name ?? '', { isPolled });
    return { status: 200 };
  },
};
