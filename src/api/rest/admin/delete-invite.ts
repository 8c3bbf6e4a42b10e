// DELETE /admin/invites/{invite_id}: withdraws an invite and its roles.
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { InviteParams } from './invite-wire.ts';
import { pathRef } from './path-ids.ts';

async function handle(call: AdminCall): Promise<Reply> {
  await call.services.administration.invites.delete(pathRef(call, 'invite_id'), call.actor);
  return { status: 202 };
}

export const deleteInvite: AdminEndpoint = {
  id: 'delete_invite',
  method: 'DELETE',
  path: '/admin/invites/{invite_id}',
  tag: 'Invites',
  summary: 'Delete an invite',
  since: '2026-04',
  errors: 'standard',
  params: InviteParams,
  success: { status: 202, description: 'The invite is deleted and its link invalid.' },
  faults: ['invalid-argument', 'access-forbidden', 'invite-not-found', 'invite-processed'],
  permission: 'admin::invites::write',
  scope: 'organization',
  handle,
};
