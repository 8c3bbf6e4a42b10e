// Parses requested roles into grants within the caller's organization.
import type { OrganizationAccess } from '../../../domain/access.ts';
import { authorize, forbidden, may } from '../../../domain/administration/authorize.ts';
import type { Grant } from '../../../domain/administration/model.ts';
import { checkUuid } from '../../../domain/administration/names.ts';
import {
  isOrganizationRole,
  isProjectRole,
  ORGANIZATION_ROLES,
  PROJECT_ROLES,
} from '../../../domain/administration/roles.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import { type Static, Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';

export const RESOURCE_TYPES = ['organization', 'project'] as const;
export const ROLES = [...ORGANIZATION_ROLES, ...PROJECT_ROLES] as const;

export const GrantBody = Type.Object({
  resource_type: choice(RESOURCE_TYPES),
  resource_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Id of the project; absent for the organization.' }),
  ),
  role: choice(ROLES, 'Must be a role for the type of the resource.'),
});

const WRITE = 'admin::role_bindings::write';

/** Allows only what the caller may grant. @throws invalid-argument, project-not-found, access-forbidden */
export function requestedGrant(access: OrganizationAccess, requested: Static<typeof GrantBody>): Grant {
  const { resource_type: resourceType, resource_id: resourceId, role } = requested;
  if (resourceType === 'organization') {
    if (resourceId !== undefined)
      throw invalid('resource_id must be absent when resource_type is organization');
    if (!isOrganizationRole(role)) throw error('organization', ORGANIZATION_ROLES);
    if (!may(access, WRITE)) throw forbidden(WRITE);
    return { resourceType, resourceId: access.organizationId, role };
  }
  if (resourceType !== 'project') throw invalid('resource_type must be organization or project');
  if (resourceId === undefined) throw invalid('resource_id is required when resource_type is project');
  const projectId = checkUuid(resourceId, 'resource_id');
  if (!isProjectRole(role)) throw error('project', PROJECT_ROLES);
  authorize(access, {
    see: 'admin::role_bindings::read',
    act: WRITE,
    projectId,
    missing: fault('project-not-found', { id: projectId }),
  });
  return { resourceType, resourceId: projectId, role };
}

/** Drops duplicate grants. */
export function requestedGrants(
  access: OrganizationAccess,
  requested: readonly Static<typeof GrantBody>[],
): readonly Grant[] {
  const grants = requested.map((one) => requestedGrant(access, one));
  return [...new Map(grants.map((grant) => [`${grant.resourceId}/${grant.role}`, grant])).values()];
}

function error(resourceType: string, roles: readonly string[]): Error {
  return invalid(`role must be one of ${roles.join(', ')} when resource_type is ${resourceType}`);
}
