// The administration endpoints, in the order of the reference.
import type { AdminEndpoint } from './admin/admin-endpoint.ts';
import { createApiKey } from './admin/create-api-key.ts';
import { createInvite } from './admin/create-invite.ts';
import { createProject } from './admin/create-project.ts';
import { createRoleBinding } from './admin/create-role-binding.ts';
import { createServiceAccount } from './admin/create-service-account.ts';
import { deleteApiKey } from './admin/delete-api-key.ts';
import { deleteInvite } from './admin/delete-invite.ts';
import { deleteOrganization } from './admin/delete-organization.ts';
import { deleteProject } from './admin/delete-project.ts';
import { deleteRoleBinding } from './admin/delete-role-binding.ts';
import { deleteServiceAccount } from './admin/delete-service-account.ts';
import { deleteUser } from './admin/delete-user.ts';
import { describeApiKey } from './admin/describe-api-key.ts';
import { describeInvite } from './admin/describe-invite.ts';
import { describeOrganization } from './admin/describe-organization.ts';
import { describeProject } from './admin/describe-project.ts';
import { describeKeyQuota, describeProjectQuota } from './admin/describe-quota.ts';
import { describeRoleBinding } from './admin/describe-role-binding.ts';
import { describeServiceAccount } from './admin/describe-service-account.ts';
import { describeUser } from './admin/describe-user.ts';
import { endUserSessions } from './admin/end-user-sessions.ts';
import { listApiKeys } from './admin/list-api-keys.ts';
import { listAuditEntries } from './admin/list-audit-entries.ts';
import { listInvites } from './admin/list-invites.ts';
import { listOrganizations } from './admin/list-organizations.ts';
import { listProjects } from './admin/list-projects.ts';
import { listRoleBindings } from './admin/list-role-bindings.ts';
import { listServiceAccounts } from './admin/list-service-accounts.ts';
import { listUsers } from './admin/list-users.ts';
import { describeLogLevel, setLogLevel } from './admin/log-level.ts';
import { describeAssistantMove, moveAssistant } from './admin/move-assistant.ts';
import { describeIndexMove, moveIndex } from './admin/move-index.ts';
import { deleteNode, listNodes, updateNode } from './admin/nodes.ts';
import { resendInvite } from './admin/resend-invite.ts';
import { rotateServiceAccountSecret } from './admin/rotate-service-account-secret.ts';
import { setKeyQuota, setProjectQuota } from './admin/set-quota.ts';
import { updateApiKey } from './admin/update-api-key.ts';
import { updateOrganization } from './admin/update-organization.ts';
import { updateProject } from './admin/update-project.ts';
import { updateServiceAccount } from './admin/update-service-account.ts';

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
  describeProjectQuota,
  setProjectQuota,
  listApiKeys,
  createApiKey,
  describeApiKey,
  updateApiKey,
  deleteApiKey,
  describeKeyQuota,
  setKeyQuota,
  listUsers,
  describeUser,
  deleteUser,
  endUserSessions,
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
  describeLogLevel,
  setLogLevel,
  listNodes,
  updateNode,
  deleteNode,
  moveIndex,
  describeIndexMove,
  moveAssistant,
  describeAssistantMove,
];
