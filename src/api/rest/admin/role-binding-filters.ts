// Parses the filters of the list of role bindings.
import type { RoleBindingQuery } from '../../../catalog/port.ts';
import { checkUuid } from '../../../domain/administration/names.ts';
import { isOrganizationRole, isProjectRole } from '../../../domain/administration/roles.ts';
import { invalid } from '../../../domain/faults.ts';
import type { QueryValues } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';
import { queryString } from '../records/request-fields.ts';
import { RESOURCE_TYPES, ROLES } from './requested-grants.ts';
import { PrincipalTypeName, principalType } from './role-binding-wire.ts';

export const ROLE_BINDING_FILTERS = {
  principal_type: Type.Optional(PrincipalTypeName),
  principal_id: Type.Optional(Type.String({ format: 'uuid', description: 'Requires principal_type.' })),
  resource_type: Type.Optional(choice(RESOURCE_TYPES)),
  resource_id: Type.Optional(
    Type.String({
      description: 'Requires resource_type.',
      examples: ['2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d'],
    }),
  ),
  role: Type.Optional(choice(ROLES)),
};

export type RoleBindingFilters = Pick<
  RoleBindingQuery,
  'principalType' | 'principalId' | 'resourceType' | 'resourceId' | 'role'
>;

/** @throws invalid-argument */
export function roleBindingFilters(query: QueryValues): RoleBindingFilters {
  return { ...principalFilters(query), ...resourceFilters(query), ...roleFilter(query) };
}

function principalFilters(query: QueryValues): RoleBindingFilters {
  const type = queryString(query, 'principal_type');
  const id = queryString(query, 'principal_id');
  if (type === undefined) {
    if (id !== undefined) throw invalid('principal_id requires principal_type');
    return {};
  }
  return {
    principalType: principalType(type),
    ...(id === undefined ? {} : { principalId: checkUuid(id, 'principal_id') }),
  };
}

function resourceFilters(query: QueryValues): RoleBindingFilters {
  const type = queryString(query, 'resource_type');
  const id = queryString(query, 'resource_id');
  if (type === undefined) {
    if (id !== undefined) throw invalid('resource_id requires resource_type');
    return {};
  }
  const resourceType = RESOURCE_TYPES.find((each) => each === type);
  if (resourceType === undefined) throw invalid('resource_type must be organization or project');
  if (id === undefined) return { resourceType };
  return { resourceType, resourceId: resourceType === 'project' ? checkUuid(id, 'resource_id') : id };
}

function roleFilter(query: QueryValues): RoleBindingFilters {
  const role = queryString(query, 'role');
  if (role === undefined) return {};
  if (!isOrganizationRole(role) && !isProjectRole(role))
    throw invalid(`role must be one of ${ROLES.join(', ')}`);
  return { role };
}
