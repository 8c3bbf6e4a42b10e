// DELETE /admin/users/{user_id}: removes a user and all its roles from the organization.
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';
import { UserParams } from './user-wire.ts';

async function handle(call: AdminCall): Promise<Reply> {
  await call.services.administration.users.remove(pathRef(call, 'user_id'), call.actor);
  return { status: 202 };
}

export const deleteUser: AdminEndpoint = {
  id: 'delete_user',
  method: 'DELETE',
  path: '/admin/users/{user_id}',
  tag: 'Users',
  summary: 'Remove a user',
  description:
    "All roles in the organization are revoked at once; the user's account remains for other organizations.",
  since: '2026-04',
  errors: 'standard',
  params: UserParams,
  success: { status: 202, description: 'The user is removed.' },
  faults: ['invalid-argument', 'access-forbidden', 'user-not-found', 'last-owner'],
  permission: 'admin::users::delete',
  scope: 'organization',
  handle,
};
