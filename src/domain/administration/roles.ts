// The single table from roles to permissions, which every API consults.
import { PERMISSIONS, type Permission, type PermissionSet } from './permissions.ts';

export const ORGANIZATION_ROLES = ['OrgOwner', 'OrgManager', 'OrgMember', 'OrgBillingAdmin'] as const;
/** Roles that an API key may have: a subset of the project roles. */
export const API_KEY_ROLES = [
  'ProjectEditor',
  'ProjectViewer',
  'ControlPlaneEditor',
  'ControlPlaneViewer',
  'DataPlaneEditor',
  'DataPlaneViewer',
] as const;
export const PROJECT_ROLES = ['ProjectOwner', 'ProjectManager', 'ProjectMember', ...API_KEY_ROLES] as const;

export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];
export type ApiKeyRole = (typeof API_KEY_ROLES)[number];
export type ProjectRole = (typeof PROJECT_ROLES)[number];
export type Role = OrganizationRole | ProjectRole;

/** The roles of a key whose creator names none. */
export const DEFAULT_API_KEY_ROLES: readonly ApiKeyRole[] = ['ProjectEditor'];

export function isOrganizationRole(role: string): role is OrganizationRole {
  return ORGANIZATION_ROLES.some((each) => each === role);
}

export function isProjectRole(role: string): role is ProjectRole {
  return PROJECT_ROLES.some((each) => each === role);
}

export function isApiKeyRole(role: string): role is ApiKeyRole {
  return API_KEY_ROLES.some((each) => each === role);
}

/** Selects permissions by prefix, so that the table stays complete when an API gains an operation. */
function all(...prefixes: readonly string[]): readonly Permission[] {
  return PERMISSIONS.filter((each) => prefixes.some((prefix) => each.startsWith(prefix)));
}

/** The read-only permissions of a plane. */
function reading(plane: string): readonly Permission[] {
  return all(`${plane}::`).filter((each) => /::(list|describe|read|chat|use)$/.test(each));
}

const CONTROL = all('control_plane::');
const DATA = all('data_plane::');
/** Clients must describe an index or an assistant to learn its address, whatever they do there. */
const ADDRESSES: readonly Permission[] = [
  'control_plane::indexes::describe',
  'control_plane::assistants::describe',
];
const PROJECT_SETTINGS_READ: readonly Permission[] = [
  'admin::project::read',
  'admin::api_keys::read',
  'admin::role_bindings::read',
];
const PROJECT_SETTINGS: readonly Permission[] = [
  ...PROJECT_SETTINGS_READ,
  ...all('admin::project::', 'admin::api_keys::', 'admin::role_bindings::'),
];

/**
 * A role at organization scope holds for the organization and for everything in it; one at project scope
 * for that project alone.
 */
export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  OrgOwner: PERMISSIONS,
  OrgManager: ['admin::organization::read', 'admin::projects::create'],
  OrgMember: ['admin::organization::read'],
  OrgBillingAdmin: ['admin::organization::read', 'admin::billing::read'],
  ProjectOwner: [...PROJECT_SETTINGS, ...CONTROL, ...DATA],
  ProjectManager: [...PROJECT_SETTINGS_READ, ...CONTROL, ...DATA],
  ProjectMember: PROJECT_SETTINGS_READ,
  ProjectEditor: [...CONTROL, ...DATA],
  ProjectViewer: [...reading('control_plane'), ...reading('data_plane')],
  ControlPlaneEditor: CONTROL,
  ControlPlaneViewer: reading('control_plane'),
  DataPlaneEditor: [...DATA, ...ADDRESSES],
  DataPlaneViewer: [...reading('data_plane'), ...ADDRESSES],
};

const unions = new Map<string, PermissionSet>();

/** Returns the union of the roles' permissions; principals with the same roles share one set. */
export function permissionsOf(roles: readonly Role[]): PermissionSet {
  const key = [...new Set(roles)].sort().join();
  const known = unions.get(key);
  if (known !== undefined) return known;
  const union = new Set(roles.flatMap((role) => ROLE_PERMISSIONS[role]));
  unions.set(key, union);
  return union;
}
