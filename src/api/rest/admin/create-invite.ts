// POST /admin/invites: invites a person with the given roles.
import {
  EMAIL_CHARS_MAX,
  INVITE_BINDINGS_MAX,
  INVITE_BINDINGS_MIN,
  INVITE_LIFE_MS,
} from '../../../domain/administration/limits.ts';
import { checkEmail } from '../../../domain/administration/names.ts';
import { invalid } from '../../../domain/faults.ts';
import { newId } from '../../../domain/ids.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { SentInviteObject, sendInvite } from './invite-wire.ts';
import { readBody } from './read-body.ts';
import { GrantBody, requestedGrants } from './requested-grants.ts';

const Body = Type.Object(
  {
    email: Type.String({ maxLength: EMAIL_CHARS_MAX }),
    role_bindings: Type.Array(GrantBody, {
      minItems: INVITE_BINDINGS_MIN,
      maxItems: INVITE_BINDINGS_MAX,
      description: 'At least one of them must be on the organization.',
    }),
  },
  {
    title: 'CreateInviteRequest',
    examples: [
      { email: 'ada@example.org', role_bindings: [{ resource_type: 'organization', role: 'OrgMember' }] },
    ],
  },
);

async function handle({ access, actor, body, services }: AdminCall): Promise<Reply> {
  const { email, role_bindings: requested } = readBody(Body, body);
  checkEmail(email);
  if (requested.length < INVITE_BINDINGS_MIN || requested.length > INVITE_BINDINGS_MAX) {
    throw invalid(`role_bindings must hold ${INVITE_BINDINGS_MIN} to ${INVITE_BINDINGS_MAX} roles`);
  }
  const grants = requestedGrants(access, requested);
  if (!grants.some(({ resourceType }) => resourceType === 'organization')) {
    throw invalid('role_bindings must hold at least one role on the organization');
  }
  const now = services.now();
  const invite = await services.administration.invites.create(
    {
      id: newId(),
      organizationId: access.organizationId,
      email,
      createdAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + INVITE_LIFE_MS).toISOString(),
    },
    grants,
    actor,
  );
  return { status: 200, body: await sendInvite(invite, services) };
}

export const createInvite: AdminEndpoint = {
  id: 'create_invite',
  method: 'POST',
  path: '/admin/invites',
  tag: 'Invites',
  summary: 'Create an invite',
  description: 'The person who accepts gets the roles. The link of the invite is valid for seven days.',
  since: '2026-04',
  errors: 'standard',
  body: Body,
  success: { status: 200, description: 'The new invite.', schema: SentInviteObject },
  faults: [
    'invalid-argument',
    'organization-not-found',
    'access-forbidden',
    'project-not-found',
    'invite-exists',
    'already-member',
    'invites-exhausted',
  ],
  permission: 'admin::invites::write',
  scope: 'organization',
  handle,
};
