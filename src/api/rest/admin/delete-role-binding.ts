// DELETE /admin/role-bindings/{role_binding_id}: revokes a role.
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { RoleBindingParams } from './role-binding-wire.ts';
import { visibleRoleBinding } from './visible-role-binding.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const { organizationId, id } = await visibleRoleBinding(call, 'admin::role_bindings::write');
  await call.services.administration.roleBindings.delete({ organizationId, id }, call.actor);
  return { status: 202 };
}

export const deleteRoleBinding: AdminEndpoint = {
  id: 'delete_role_binding',
  method: 'DELETE',
  path: '/admin/role-bindings/{role_binding_id}',
  tag: 'Role bindings',
  summary: 'Delete a role binding',
  description:
    'Takes effect with the next request, even with existing tokens. The last OrgOwner cannot be removed, nor the last ' +
    'organization role of a pending invite or of a user that has other roles.',
  since: '2026-04',
  errors: 'standard',
  params: RoleBindingParams,
  success: { status: 202, description: 'The role is revoked.' },
  faults: ['invalid-argument', 'access-forbidden', 'role-binding-not-found', 'last-owner', 'last-membership'],
  permission: 'admin::role_bindings::write',
  scope: 'anywhere',
  handle,
};
