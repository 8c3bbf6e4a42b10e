// GET /admin/invites/{invite_id}: describes an invite, even an accepted one.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { InviteObject, InviteParams, inviteToWire } from './invite-wire.ts';
import { pathRef } from './path-ids.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const ref = pathRef(call, 'invite_id');
  const { administration, now } = call.services;
  const invite = await administration.invites.find(ref);
  if (invite === null) throw fault('invite-not-found', { id: ref.id });
  return { status: 200, body: inviteToWire(invite, now()) };
}

export const describeInvite: AdminEndpoint = {
  id: 'fetch_invite',
  method: 'GET',
  path: '/admin/invites/{invite_id}',
  tag: 'Invites',
  summary: 'Describe an invite',
  since: '2026-04',
  errors: 'standard',
  params: InviteParams,
  success: { status: 200, description: 'The invite.', schema: InviteObject },
  faults: ['invalid-argument', 'access-forbidden', 'invite-not-found'],
  permission: 'admin::invites::read',
  scope: 'organization',
  handle,
};
