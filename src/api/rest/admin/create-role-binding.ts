// POST /admin/role-bindings: grants a principal a role on a resource.
import { projectsWhere } from '../../../domain/administration/authorize.ts';
import { checkUuid } from '../../../domain/administration/names.ts';
import { newId } from '../../../domain/ids.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { readBody } from './read-body.ts';
import { GrantBody, requestedGrant } from './requested-grants.ts';
import {
  PrincipalTypeName,
  principalType,
  RoleBindingObject,
  roleBindingToWire,
} from './role-binding-wire.ts';

const Body = Type.Object(
  {
    principal_type: PrincipalTypeName,
    principal_id: Type.String({ format: 'uuid' }),
    ...GrantBody.properties,
  },
  {
    title: 'CreateRoleBindingRequest',
    examples: [
      {
        principal_type: 'service_account',
        principal_id: '5e6f7081-9a0b-4c1d-8e2f-3a4b5c6d7e8f',
        resource_type: 'project',
        resource_id: '2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d',
        role: 'ProjectEditor',
      },
    ],
  },
);

async function handle({ access, actor, body, services }: AdminCall): Promise<Reply> {
  const requested = readBody(Body, body);
  const principal = {
    type: principalType(requested.principal_type),
    id: checkUuid(requested.principal_id, 'principal_id'),
  };
  const binding = {
    id: newId(),
    organizationId: access.organizationId,
    principal,
    ...requestedGrant(access, requested),
    createdAt: services.now().toISOString(),
  };
  const visible = projectsWhere(access, 'admin::api_keys::read');
  await services.administration.roleBindings.create(binding, actor, visible);
  return { status: 200, body: roleBindingToWire(binding) };
}

export const createRoleBinding: AdminEndpoint = {
  id: 'create_role_binding',
  method: 'POST',
  path: '/admin/role-bindings',
  tag: 'Role bindings',
  summary: 'Create a role binding',
  description:
    'The role takes effect with the next request. An API key can have API key roles on its own project only.',
  since: '2026-04',
  errors: 'standard',
  body: Body,
  success: { status: 200, description: 'The new role binding.', schema: RoleBindingObject },
  faults: [
    'invalid-argument',
    'access-forbidden',
    'project-not-found',
    'principal-not-found',
    'binding-exists',
  ],
  permission: 'admin::role_bindings::write',
  scope: 'anywhere',
  handle,
};
