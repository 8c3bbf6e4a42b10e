// GET /admin/users: lists the users of the organization, in pages.
import { EMAIL_CHARS_MAX } from '../../../domain/administration/limits.ts';
import { checkEmail, emailKey } from '../../../domain/administration/names.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { queryString } from '../records/request-fields.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { answerPage, PAGE_QUERY, pageOf } from './page-query.ts';
import { UserObject, userToWire } from './user-wire.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const { access, query, services } = call;
  const requested = queryString(query, 'email');
  const email = requested === undefined ? undefined : emailKey(checkEmail(requested));
  return answerPage(call, {
    operation: listUsers.id,
    filters: [email],
    list: (page) =>
      services.administration.users.list(access.organizationId, {
        ...page,
        ...(email === undefined ? {} : { email }),
      }),
    toWire: userToWire,
  });
}

export const listUsers: AdminEndpoint = {
  id: 'list_users',
  method: 'GET',
  path: '/admin/users',
  tag: 'Users',
  summary: 'List users',
  description: 'Everyone with a role in the organization, oldest first.',
  since: '2026-04',
  errors: 'standard',
  query: Type.Object({
    email: Type.Optional(
      Type.String({
        maxLength: EMAIL_CHARS_MAX,
        description: 'Only the user with this address, case-insensitive.',
        examples: ['ada@example.org'],
      }),
    ),
    ...PAGE_QUERY,
  }),
  success: { status: 200, description: 'A page of users.', schema: pageOf(UserObject) },
  faults: ['invalid-argument', 'limit-out-of-range', 'access-forbidden'],
  permission: 'admin::users::read',
  scope: 'organization',
  handle,
};
