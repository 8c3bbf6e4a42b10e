// DELETE /admin/api-keys/{api_key_id}: deletes a key with immediate effect.
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { ApiKeyParams } from './api-key-wire.ts';
import { visibleApiKey } from './visible-api-key.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const { organizationId, id } = await visibleApiKey(call, 'admin::api_keys::write');
  await call.services.administration.apiKeys.delete({ organizationId, id }, call.actor);
  return { status: 202 };
}

export const deleteApiKey: AdminEndpoint = {
  id: 'delete_api_key',
  method: 'DELETE',
  path: '/admin/api-keys/{api_key_id}',
  tag: 'API keys',
  summary: 'Delete an API key',
  description: 'The next request with the key is refused.',
  since: '2025-04',
  errors: 'standard',
  params: ApiKeyParams,
  success: { status: 202, description: 'The key is deleted.' },
  faults: ['invalid-argument', 'access-forbidden', 'api-key-not-found'],
  permission: 'admin::api_keys::write',
  scope: 'anywhere',
  handle,
};
