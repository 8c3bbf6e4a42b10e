// The administration endpoints, in the order of the reference.
import type { AdminEndpoint } from './admin-endpoint.ts';
import { createApiKey } from './create-api-key.ts';
import { createInvite } from './create-invite.ts';
import { createProject } from './create-project.ts';
import { createRoleBinding } from './create-role-binding.ts';
import { createServiceAccount } from './create-service-account.ts';
import { deleteApiKey } from './delete-api-key.ts';
import { deleteInvite } from './delete-invite.ts';
import { deleteOrganization } from './delete-organization.ts';
import { deleteProject } from './delete-project.ts';
import { deleteRoleBinding } from './delete-role-binding.ts';
import { deleteServiceAccount } from './delete-service-account.ts';
import { deleteUser } from './delete-user.ts';
import { describeApiKey } from './describe-api-key.ts';
import { describeInvite } from './describe-invite.ts';
import { describeOrganization } from './describe-organization.ts';
import { describeProject } from './describe-project.ts';
import { describeRoleBinding } from './describe-role-binding.ts';
import { describeServiceAccount } from './describe-service-account.ts';
import { describeUser } from './describe-user.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listAuditEntries } from './list-audit-entries.ts';
import { listInvites } from './list-invites.ts';
import { listOrganizations } from './list-organizations.ts';
import { listProjects } from './list-projects.ts';
import { listRoleBindings } from './list-role-bindings.ts';
import { listServiceAccounts } from './list-service-accounts.ts';
import { listUsers } from './list-users.ts';
import { resendInvite } from './resend-invite.ts';
import { rotateServiceAccountSecret } from './rotate-service-account-secret.ts';
import { updateApiKey } from './update-api-key.ts';
import { updateOrganization } from './update-organization.ts';
import { updateProject } from './update-project.ts';
import { updateServiceAccount } from './update-service-account.ts';

export const adminEndpoints: readonly AdminEndpoint[] = [
  listOrganizations,
  describeOrganization,
  updateOrganization,
  deleteOrganization,
  listProjects,
  createProject,
  describeProject,
  updateProject,
  deleteProject,
  listApiKeys,
  createApiKey,
  describeApiKey,
  updateApiKey,
  deleteApiKey,
  listUsers,
  describeUser,
  deleteUser,
  listInvites,
  createInvite,
  describeInvite,
  deleteInvite,
  resendInvite,
  listServiceAccounts,
  createServiceAccount,
  describeServiceAccount,
  updateServiceAccount,
  deleteServiceAccount,
  rotateServiceAccountSecret,
  listRoleBindings,
  createRoleBinding,
  describeRoleBinding,
  deleteRoleBinding,
  listAuditEntries,
];
