// DELETE /admin/users/{user_id}/sessions: signs a user out everywhere.
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';
import { UserParams } from './user-wire.ts';

async function handle(call: AdminCall): Promise<Reply> {
  await call.services.administration.users.endSessions(pathRef(call, 'user_id'), call.actor);
  return { status: 202 };
}

export const endUserSessions: AdminEndpoint = {
  id: 'end_user_sessions',
  method: 'DELETE',
  path: '/admin/users/{user_id}/sessions',
  tag: 'Users',
  summary: "End a user's sessions",
  description:
    'Ends all sessions of the user in the console and invalidates its access tokens. Its roles stay: the user may sign in again.',
  since: '2026-07',
  errors: 'standard',
  params: UserParams,
  success: { status: 202, description: 'The sessions have ended.' },
  faults: ['invalid-argument', 'access-forbidden', 'user-not-found'],
  permission: 'admin::users::delete',
  scope: 'organization',
  handle,
};
