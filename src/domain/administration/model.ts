// The resources of administration: organizations, projects, principals and the roles bound to them.
import type { ApiKeyRole, Role } from './roles.ts';

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

export interface Project {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly maxPods: number;
  readonly forceEncryptionWithCmek: boolean;
  readonly createdAt: string;
}

export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly name: string;
  /** Exactly the key's bindings on its project, in the order of the role table. */
  readonly roles: readonly ApiKeyRole[];
  readonly createdAt: string;
}

/** A person with at least one binding in the organization. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ServiceAccount {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly clientId: string;
  readonly createdAt: string;
  /** When the name last changed; rotating the secret does not count. */
  readonly updatedAt: string;
}

export interface Invite {
  readonly id: string;
  readonly organizationId: string;
  readonly email: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** When it was accepted; null until then. */
  readonly processedAt: string | null;
  /** Number of the newest link; only that one works. */
  readonly linkNumber: number;
}

export type InviteStatus = 'pending' | 'expired' | 'processed';

export function inviteStatus({ processedAt, expiresAt }: Invite, now: Date): InviteStatus {
  if (processedAt !== null) return 'processed';
  return Date.parse(expiresAt) <= now.getTime() ? 'expired' : 'pending';
}

export const PRINCIPAL_TYPES = ['user', 'service_account', 'api_key', 'invite'] as const;
export type PrincipalType = (typeof PRINCIPAL_TYPES)[number];

export interface Principal {
  readonly type: PrincipalType;
  readonly id: string;
}

export type ResourceType = 'organization' | 'project';

/** A role on a resource, not yet bound to a principal. `resourceId` names the organization or the project. */
export interface Grant {
  readonly resourceType: ResourceType;
  readonly resourceId: string;
  readonly role: Role;
}

export interface RoleBinding extends Grant {
  readonly id: string;
  readonly organizationId: string;
  readonly principal: Principal;
  readonly createdAt: string;
}
