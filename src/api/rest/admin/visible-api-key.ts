// Finds the API key of a path, for callers that may see it.
import { authorize } from '../../../domain/administration/authorize.ts';
import type { ApiKey } from '../../../domain/administration/model.ts';
import { fault } from '../../../domain/faults.ts';
import type { AdminCall } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';

/** @throws invalid-argument, api-key-not-found, access-forbidden */
export async function visibleApiKey(call: AdminCall, act?: 'admin::api_keys::write'): Promise<ApiKey> {
  const ref = pathRef(call, 'api_key_id');
  const missing = fault('api-key-not-found', { id: ref.id });
  const key = await call.services.administration.apiKeys.find(ref);
  if (key === null) throw missing;
  authorize(call.access, {
    see: 'admin::api_keys::read',
    ...(act === undefined ? {} : { act }),
    projectId: key.projectId,
    missing,
  });
  return key;
}
