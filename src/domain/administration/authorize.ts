// Decides what a caller of the administration API may do, and which refusal it gets.
import type { OrganizationAccess } from '../access.ts';
import { type Fault, fault } from '../faults.ts';
import type { Permission, Rights } from './permissions.ts';
import { permissionsOf, type Role } from './roles.ts';

interface GivenRole {
  readonly resourceType: 'organization' | 'project';
  readonly resourceId: string;
  readonly role: Role;
}

/** Merges all bindings of a principal in one organization. */
export function rightsOf(grants: readonly GivenRole[]): Rights {
  const wide = grants.filter(({ resourceType }) => resourceType === 'organization');
  const byProject = Map.groupBy(
    grants.filter(({ resourceType }) => resourceType === 'project'),
    ({ resourceId }) => resourceId,
  );
  const inProject = [...byProject].map(
    ([id, given]) => [id, permissionsOf(given.map(({ role }) => role))] as const,
  );
  return { everywhere: permissionsOf(wide.map(({ role }) => role)), inProject: new Map(inProject) };
}

/** Without a project, checks the organization itself. */
export function may({ rights }: OrganizationAccess, permission: Permission, projectId?: string): boolean {
  if (rights.everywhere.has(permission)) return true;
  return projectId !== undefined && rights.inProject.get(projectId)?.has(permission) === true;
}

/** Checks the organization and all its projects. */
export function mayAnywhere({ rights }: OrganizationAccess, permission: Permission): boolean {
  if (rights.everywhere.has(permission)) return true;
  return [...rights.inProject.values()].some((permissions) => permissions.has(permission));
}

/** Projects on which the caller has the permission; `all` when on every one. */
export function projectsWhere(
  { rights }: OrganizationAccess,
  permission: Permission,
): 'all' | readonly string[] {
  if (rights.everywhere.has(permission)) return 'all';
  return [...rights.inProject].filter(([, permissions]) => permissions.has(permission)).map(([id]) => id);
}

export interface Guard {
  /** The permission that makes the resource visible to the caller. */
  readonly see: Permission;
  /** The permission that the operation needs in addition; absent when it only reads. */
  readonly act?: Permission;
  /** The project that the resource belongs to; null for one of the organization. */
  readonly projectId: string | null;
  /** The error for a resource that does not exist: a caller that may not see it gets the same bytes. */
  readonly missing: Fault;
}

/** Faults that hide a denial from the caller, and the permission that was missing. */
const masks = new WeakMap<object, Permission>();

/** Marks a fault as a hidden denial: the audit log records it, the caller cannot tell. */
export function masking(missing: Fault, permission: Permission): Fault {
  masks.set(missing, permission);
  return missing;
}

/** Returns the missing permission when the error is a hidden denial. */
export function maskedPermission(error: unknown): Permission | undefined {
  return typeof error === 'object' && error !== null ? masks.get(error) : undefined;
}

/** @throws `missing` when the caller may not see the resource, access-forbidden when it may only see it */
export function authorize(access: OrganizationAccess, { see, act, projectId, missing }: Guard): void {
  const project = projectId ?? undefined;
  if (!may(access, see, project)) throw masking(missing, see);
  if (act !== undefined && !may(access, act, project)) throw forbidden(act);
}

export function forbidden(permission: Permission): Fault {
  return fault('access-forbidden', { permission });
}
