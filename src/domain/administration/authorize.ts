// Whether a caller of the administration may do a thing, and which refusal it gets when not.
import type { OrganizationAccess } from '../access.ts';
import { type Fault, fault } from '../faults.ts';
import type { Permission, Rights } from './permissions.ts';
import { permissionsOf, type Role } from './roles.ts';

interface GivenRole {
  readonly resourceType: 'organization' | 'project';
  readonly resourceId: string;
  readonly role: Role;
}

/** The union of all bindings of a principal in one organization. */
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

/** Without a project: on the organization itself. */
export function may({ rights }: OrganizationAccess, permission: Permission, projectId?: string): boolean {
  if (rights.everywhere.has(permission)) return true;
  return projectId !== undefined && rights.inProject.get(projectId)?.has(permission) === true;
}

/** On the organization or on any project of it. */
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
  /** What makes the thing visible to the caller at all. */
  readonly see: Permission;
  /** What the operation needs beside; absent when seeing is all it does. */
  readonly act?: Permission;
  /** The project the thing belongs to; null for a thing of the organization. */
  readonly projectId: string | null;
  /** The answer for a thing that does not exist: who may not see it gets the same bytes. */
  readonly missing: Fault;
}

/** Faults that look like something else to the caller, and which permission they stand for. */
const masks = new WeakMap<object, Permission>();

/** Marks a fault as a denial in disguise: the caller learns nothing, the audit log does. */
export function masking(missing: Fault, permission: Permission): Fault {
  masks.set(missing, permission);
  return missing;
}

/** The permission that was lacking, when the error is a denial in disguise. */
export function maskedPermission(error: unknown): Permission | undefined {
  return typeof error === 'object' && error !== null ? masks.get(error) : undefined;
}

/** @throws `missing` for a caller that may not see the thing, access-forbidden for one that may only see it */
export function authorize(access: OrganizationAccess, { see, act, projectId, missing }: Guard): void {
  const project = projectId ?? undefined;
  if (!may(access, see, project)) throw masking(missing, see);
  if (act !== undefined && !may(access, act, project)) throw forbidden(act);
}

export function forbidden(permission: Permission): Fault {
  return fault('access-forbidden', { permission });
}
