// What the server answers about the organization, as far as the console reads it.
import type { ApiKeyRole, Role } from '../../../../src/domain/administration/roles.ts';

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly ApiKeyRole[];
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name?: string;
  readonly created_at: string;
}

export interface Invite {
  readonly id: string;
  readonly email: string;
  readonly status: 'pending' | 'expired' | 'processed';
  readonly expires_at: string | null;
  readonly created_at: string;
}

export interface SentInvite extends Invite {
  readonly accept_url: string;
}

export interface ServiceAccount {
  readonly id: string;
  readonly name: string;
  readonly client_id: string;
  readonly created_at: string;
}

export interface ServiceAccountWithSecret {
  readonly service_account: ServiceAccount;
  readonly client_secret: string;
}

export type PrincipalType = 'user' | 'service_account' | 'api_key';

export interface RoleBinding {
  readonly id: string;
  readonly principal_type: PrincipalType;
  readonly principal_id: string;
  readonly resource_type: 'organization' | 'project';
  readonly resource_id: string;
  readonly role: Role;
  readonly created_at: string;
}

export interface AuditEntry {
  readonly id: string;
  readonly created_at: string;
  readonly actor: { readonly type: string; readonly id: string | null };
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly outcome: 'allowed' | 'denied';
  readonly request_id: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly count: number;
}
