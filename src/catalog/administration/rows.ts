// Converts rows of administration into domain objects. Trusts the rows: only the catalog writes them.
import type {
  ApiKey,
  Invite,
  Organization,
  Project,
  RoleBinding,
  ServiceAccount,
  User,
} from '../../domain/administration/model.ts';
import { API_KEY_ROLES } from '../../domain/administration/roles.ts';
import type {
  ApiKeyTable,
  InviteTable,
  OrganizationTable,
  ProjectTable,
  RoleBindingTable,
  ServiceAccountTable,
  UserTable,
} from '../schema.ts';
import type { ServiceAccountCredential } from './port.ts';

export function organizationOf(row: OrganizationTable): Organization {
  return { id: row.id, name: row.name, createdAt: row.created_at };
}

export function projectOf(row: ProjectTable): Project {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    maxPods: row.max_pods,
    forceEncryptionWithCmek: row.force_encryption_with_cmek === 1,
    createdAt: row.created_at,
  };
}

export function apiKeyOf(row: ApiKeyTable, organizationId: string, roles: readonly string[]): ApiKey {
  return {
    id: row.id,
    organizationId,
    projectId: row.project_id,
    name: row.name,
    roles: API_KEY_ROLES.filter((role) => roles.includes(role)),
    createdAt: row.created_at,
  };
}

export function userOf(row: UserTable): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function serviceAccountOf(row: ServiceAccountTable): ServiceAccount {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    clientId: row.client_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function credentialOf(row: ServiceAccountTable): ServiceAccountCredential {
  return {
    id: row.id,
    organizationId: row.organization_id,
    clientId: row.client_id,
    secretSha256: row.secret_sha256,
    generation: row.generation,
  };
}

export function inviteOf(row: InviteTable): Invite {
  return {
    id: row.id,
    organizationId: row.organization_id,
    email: row.email,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    processedAt: row.processed_at,
    linkNumber: row.link_number,
  };
}

export function bindingOf(row: RoleBindingTable): RoleBinding {
  return {
    id: row.id,
    organizationId: row.organization_id,
    principal: { type: row.principal_type, id: row.principal_id },
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    role: row.role,
    createdAt: row.created_at,
  };
}

export function bindingRow(binding: RoleBinding): RoleBindingTable {
  return {
    id: binding.id,
    organization_id: binding.organizationId,
    principal_type: binding.principal.type,
    principal_id: binding.principal.id,
    resource_type: binding.resourceType,
    resource_id: binding.resourceId,
    role: binding.role,
    created_at: binding.createdAt,
  };
}
