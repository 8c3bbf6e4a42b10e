// GET /admin/role-bindings: lists the role bindings that the caller may see, in pages.
import { projectsWhere } from '../../../domain/administration/authorize.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { answerPage, PAGE_QUERY, pageOf } from './page-query.ts';
import { ROLE_BINDING_FILTERS, roleBindingFilters } from './role-binding-filters.ts';
import { RoleBindingObject, roleBindingToWire } from './role-binding-wire.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const { access, query, services } = call;
  const filters = roleBindingFilters(query);
  const { principalType, principalId, resourceType, resourceId, role } = filters;
  const visible = projectsWhere(access, 'admin::role_bindings::read');
  return answerPage(call, {
    operation: listRoleBindings.id,
    filters: [principalType, principalId, resourceType, resourceId, role],
    list: (page) =>
      services.administration.roleBindings.list(access.organizationId, { ...page, ...filters, visible }),
    toWire: roleBindingToWire,
  });
}

export const listRoleBindings: AdminEndpoint = {
  id: 'list_role_bindings',
  method: 'GET',
  path: '/admin/role-bindings',
  tag: 'Role bindings',
  summary: 'List role bindings',
  description:
    'Oldest first; all given filters must match. Owners of a project see the bindings on it, owners of the organization see all.',
  since: '2026-04',
  errors: 'standard',
  query: Type.Object({ ...ROLE_BINDING_FILTERS, ...PAGE_QUERY }),
  success: { status: 200, description: 'A page of role bindings.', schema: pageOf(RoleBindingObject) },
  faults: ['invalid-argument', 'limit-out-of-range', 'access-forbidden'],
  permission: 'admin::role_bindings::read',
  scope: 'anywhere',
  handle,
};
