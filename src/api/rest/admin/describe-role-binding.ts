// GET /admin/role-bindings/{role_binding_id}: describes a role binding.
import type { AdminEndpoint } from './admin-endpoint.ts';
import { RoleBindingObject, RoleBindingParams, roleBindingToWire } from './role-binding-wire.ts';
import { visibleRoleBinding } from './visible-role-binding.ts';

export const describeRoleBinding: AdminEndpoint = {
  id: 'fetch_role_binding',
  method: 'GET',
  path: '/admin/role-bindings/{role_binding_id}',
  tag: 'Role bindings',
  summary: 'Describe a role binding',
  since: '2026-04',
  errors: 'standard',
  params: RoleBindingParams,
  success: { status: 200, description: 'The role binding.', schema: RoleBindingObject },
  faults: ['invalid-argument', 'access-forbidden', 'role-binding-not-found'],
  permission: 'admin::role_bindings::read',
  scope: 'anywhere',
  handle: async (call) => ({ status: 200, body: roleBindingToWire(await visibleRoleBinding(call)) }),
};
