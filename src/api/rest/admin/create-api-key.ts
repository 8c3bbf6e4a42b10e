// POST /admin/projects/{project_id}/api-keys: creates a key and shows it once.
import { newApiKey } from '../../../domain/administration/credentials.ts';
import { CREDENTIAL_NAME_CHARS_MAX } from '../../../domain/administration/limits.ts';
import { checkDisplayName } from '../../../domain/administration/names.ts';
import { DEFAULT_API_KEY_ROLES } from '../../../domain/administration/roles.ts';
import { newId } from '../../../domain/ids.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { ApiKeyObject, apiKeyRoles, apiKeyToWire, CreateApiKeyBody } from './api-key-wire.ts';
import { ProjectParams } from './project-wire.ts';
import { readBody } from './read-body.ts';
import { authorizedProject } from './visible-project.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const project = authorizedProject(call, { see: 'admin::api_keys::read', act: 'admin::api_keys::write' });
  const { name, roles = DEFAULT_API_KEY_ROLES } = readBody(CreateApiKeyBody, call.body);
  const { administration, now } = call.services;
  const { value, label, sha256 } = newApiKey();
  const key = {
    id: newId(),
    organizationId: project.organizationId,
    projectId: project.id,
    name: checkDisplayName(name, CREDENTIAL_NAME_CHARS_MAX),
    roles: apiKeyRoles(roles),
    createdAt: now().toISOString(),
  };
  await administration.apiKeys.create({ ...key, label, sha256 }, call.actor);
  return { status: 200, body: { key: apiKeyToWire(key), value } };
}

export const createApiKey: AdminEndpoint = {
  id: 'create_api_key',
  method: 'POST',
  path: '/admin/projects/{project_id}/api-keys',
  tag: 'API keys',
  summary: 'Create an API key',
  description: 'Only this response shows the key itself; the server stores a digest of it.',
  since: '2025-04',
  errors: 'standard',
  params: ProjectParams,
  body: CreateApiKeyBody,
  success: {
    // The published specification says 201, but a strict client accepts 200 alone and the others accept either.
    status: 200,
    description: 'The new key.',
    schema: Type.Object({
      key: ApiKeyObject,
      value: Type.String({ description: 'The key to authenticate with.', examples: ['pcsk_4d5e6f_secret'] }),
    }),
  },
  faults: ['invalid-argument', 'access-forbidden', 'project-not-found'],
  permission: 'admin::api_keys::write',
  scope: 'anywhere',
  handle,
};
