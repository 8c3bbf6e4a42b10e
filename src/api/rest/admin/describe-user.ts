// GET /admin/users/{user_id}: describes a user.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';
import { UserObject, UserParams, userToWire } from './user-wire.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const ref = pathRef(call, 'user_id');
  const user = await call.services.administration.users.find(ref);
  if (user === null) throw fault('user-not-found', { id: ref.id });
  return { status: 200, body: userToWire(user) };
}

export const describeUser: AdminEndpoint = {
  id: 'fetch_user',
  method: 'GET',
  path: '/admin/users/{user_id}',
  tag: 'Users',
  summary: 'Describe a user',
  since: '2026-04',
  errors: 'standard',
  params: UserParams,
  success: { status: 200, description: 'The user.', schema: UserObject },
  faults: ['invalid-argument', 'access-forbidden', 'user-not-found'],
  permission: 'admin::users::read',
  scope: 'organization',
  handle,
};
