// Proof of authentication: every domain operation takes an access, and only the auth step mints one.

import type { Principal } from './administration/model.ts';
import type { Rights } from './administration/permissions.ts';

declare const minted: unique symbol;

/** Who calls, and within which project. Cannot be built outside `mintProjectAccess`. */
export interface ProjectAccess {
  readonly [minted]: true;
  readonly organizationId: string;
  readonly projectId: string;
  /** The API key's id (never the key itself); what logs and audit records name. */
  readonly principalId: string;
}

/** Who administers, within which organization, with which rights at this moment. Minted for one request. */
export interface OrganizationAccess {
  readonly [minted]: true;
  readonly organizationId: string;
  readonly principal: Principal;
  readonly rights: Rights;
}

/**
 * Mints an access to a project. Called by the server's auth step alone, and by engine threads when they
 * receive a request that step has already passed.
 */
export function mintProjectAccess(fields: Omit<ProjectAccess, typeof minted>): ProjectAccess {
  return fields as ProjectAccess;
}

/** Mints an access to an organization. Called by the server's auth step alone. */
export function mintOrganizationAccess(fields: Omit<OrganizationAccess, typeof minted>): OrganizationAccess {
  return fields as OrganizationAccess;
}
