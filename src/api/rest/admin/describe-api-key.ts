// GET /admin/api-keys/{api_key_id}: describes a key, without its secret.
import type { AdminEndpoint } from './admin-endpoint.ts';
import { ApiKeyObject, ApiKeyParams, apiKeyToWire } from './api-key-wire.ts';
import { visibleApiKey } from './visible-api-key.ts';

export const describeApiKey: AdminEndpoint = {
  id: 'fetch_api_key',
  method: 'GET',
  path: '/admin/api-keys/{api_key_id}',
  tag: 'API keys',
  summary: 'Describe an API key',
  since: '2025-04',
  errors: 'standard',
  params: ApiKeyParams,
  success: { status: 200, description: 'The key.', schema: ApiKeyObject },
  faults: ['invalid-argument', 'access-forbidden', 'api-key-not-found'],
  permission: 'admin::api_keys::read',
  scope: 'anywhere',
  handle: async (call) => ({ status: 200, body: apiKeyToWire(await visibleApiKey(call)) }),
};
