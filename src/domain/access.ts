// Proof of authentication: every domain operation takes an access, and only the auth step mints one.

import type { Principal, PrincipalType } from './administration/model.ts';
import type { Rights } from './administration/permissions.ts';

declare const minted: unique symbol;

/** Who calls, and in which project. Only `mintProjectAccess` can build one. */
export interface ProjectAccess {
  readonly [minted]: true;
  readonly organizationId: string;
  readonly projectId: string;
  /** The id of the API key (never the key itself) or of another principal; what logs and audit records name. */
  readonly principalId: string;
  /** Absent for an API key. */
  readonly principalType?: Exclude<PrincipalType, 'api_key'>;
}

/** Who administers which organization, and with which rights. Minted for a single request. */
export interface OrganizationAccess {
  readonly [minted]: true;
  readonly organizationId: string;
  readonly principal: Principal;
  readonly rights: Rights;
}

/**
 * Mints an access to a project. Only the server's auth step calls it, and engine threads when they
 * receive a request that has already passed that step.
 */
export function mintProjectAccess(fields: Omit<ProjectAccess, typeof minted>): ProjectAccess {
  // The mark exists for the compiler only: it shows that the fields came through here.
  return fields as ProjectAccess;
}

/** Mints an access to an organization. Only the server's auth step calls it. */
export function mintOrganizationAccess(fields: Omit<OrganizationAccess, typeof minted>): OrganizationAccess {
  // As above.
  return fields as OrganizationAccess;
}
