// PATCH /admin/api-keys/{api_key_id}: renames a key, or replaces its roles.
import type { ApiKeyChange } from '../../../catalog/port.ts';
import { CREDENTIAL_NAME_CHARS_MAX } from '../../../domain/administration/limits.ts';
import { checkDisplayName } from '../../../domain/administration/names.ts';
import type { Reply } from '../../endpoint.ts';
import type { Static } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { ApiKeyObject, ApiKeyParams, apiKeyRoles, apiKeyToWire, UpdateApiKeyBody } from './api-key-wire.ts';
import { readBody } from './read-body.ts';
import { visibleApiKey } from './visible-api-key.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const { organizationId, id } = await visibleApiKey(call, 'admin::api_keys::write');
  const change = requestedChange(readBody(UpdateApiKeyBody, call.body));
  const { administration } = call.services;
  const key = await administration.apiKeys.update({ organizationId, id }, change, call.actor);
  return { status: 200, body: apiKeyToWire(key) };
}

function requestedChange({ name, roles }: Static<typeof UpdateApiKeyBody>): ApiKeyChange {
  return {
    ...(name === undefined ? {} : { name: checkDisplayName(name, CREDENTIAL_NAME_CHARS_MAX) }),
    ...(roles === undefined ? {} : { roles: apiKeyRoles(roles) }),
  };
}

export const updateApiKey: AdminEndpoint = {
  id: 'update_api_key',
  method: 'PATCH',
  path: '/admin/api-keys/{api_key_id}',
  tag: 'API keys',
  summary: 'Update an API key',
  description: 'New roles take effect with the next request.',
  since: '2025-04',
  errors: 'standard',
  params: ApiKeyParams,
  body: UpdateApiKeyBody,
  success: { status: 200, description: 'The changed key.', schema: ApiKeyObject },
  faults: ['invalid-argument', 'access-forbidden', 'api-key-not-found'],
  permission: 'admin::api_keys::write',
  scope: 'anywhere',
  handle,
};
