// GET /admin/invites: lists invites that are not accepted yet, in pages.
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { InviteObject, inviteToWire } from './invite-wire.ts';
import { answerPage, PAGE_QUERY, pageOf } from './page-query.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const { access, services } = call;
  const now = services.now();
  return answerPage(call, {
    operation: listInvites.id,
    filters: [],
    list: (page) => services.administration.invites.list(access.organizationId, page),
    toWire: (invite) => inviteToWire(invite, now),
  });
}

export const listInvites: AdminEndpoint = {
  id: 'list_invites',
  method: 'GET',
  path: '/admin/invites',
  tag: 'Invites',
  summary: 'List invites',
  description: 'Pending and expired invites, oldest first. Accepted ones can only be described by id.',
  since: '2026-04',
  errors: 'standard',
  query: Type.Object(PAGE_QUERY),
  success: { status: 200, description: 'A page of invites.', schema: pageOf(InviteObject) },
  faults: ['invalid-argument', 'limit-out-of-range', 'access-forbidden'],
  permission: 'admin::invites::read',
  scope: 'organization',
  handle,
};
