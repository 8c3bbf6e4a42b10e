// POST /admin/invites/{invite_id}/resend: renews the link and the lifetime of an invite.
import { INVITE_LIFE_MS } from '../../../domain/administration/limits.ts';
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { InviteParams, SentInviteObject, sendInvite } from './invite-wire.ts';
import { pathRef } from './path-ids.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const { services, actor } = call;
  const expiresAt = new Date(services.now().getTime() + INVITE_LIFE_MS).toISOString();
  const invite = await services.administration.invites.resend(pathRef(call, 'invite_id'), expiresAt, actor);
  return { status: 200, body: await sendInvite(invite, services) };
}

export const resendInvite: AdminEndpoint = {
  id: 'resend_invite',
  method: 'POST',
  path: '/admin/invites/{invite_id}/resend',
  tag: 'Invites',
  summary: 'Resend an invite',
  description: 'The invite is pending for another seven days. Its earlier links become invalid.',
  since: '2026-04',
  errors: 'standard',
  params: InviteParams,
  success: { status: 200, description: 'The resent invite.', schema: SentInviteObject },
  faults: [
    'invalid-argument',
    'access-forbidden',
    'invite-not-found',
    'invite-processed',
    'invites-exhausted',
  ],
  permission: 'admin::invites::write',
  scope: 'organization',
  handle,
};
