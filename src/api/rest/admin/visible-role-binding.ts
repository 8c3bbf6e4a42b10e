// Finds the role binding of a path, for callers that may see it.
import { authorize } from '../../../domain/administration/authorize.ts';
import type { RoleBinding } from '../../../domain/administration/model.ts';
import { fault } from '../../../domain/faults.ts';
import type { AdminCall } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';

/** @throws invalid-argument, role-binding-not-found, access-forbidden */
export async function visibleRoleBinding(
  call: AdminCall,
  act?: 'admin::role_bindings::write',
): Promise<RoleBinding> {
  const ref = pathRef(call, 'role_binding_id');
  const missing = fault('role-binding-not-found', { id: ref.id });
  const binding = await call.services.administration.roleBindings.find(ref);
  if (binding === null) throw missing;
  authorize(call.access, {
    see: 'admin::role_bindings::read',
    ...(act === undefined ? {} : { act }),
    projectId: binding.resourceType === 'project' ? binding.resourceId : null,
    missing,
  });
  return binding;
}
