// POST /admin/service-accounts: creates a service account with its roles and shows its secret once.
import { digestOf, newClientId, newClientSecret } from '../../../domain/administration/credentials.ts';
import {
  CREDENTIAL_NAME_CHARS_MAX,
  SERVICE_ACCOUNT_BINDINGS_MAX,
} from '../../../domain/administration/limits.ts';
import { checkDisplayName } from '../../../domain/administration/names.ts';
import { invalid } from '../../../domain/faults.ts';
import { newId } from '../../../domain/ids.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { CredentialName } from './api-key-wire.ts';
import { readBody } from './read-body.ts';
import { GrantBody, requestedGrants } from './requested-grants.ts';
import { ServiceAccountWithSecret, serviceAccountToWire } from './service-account-wire.ts';

const Body = Type.Object(
  {
    name: CredentialName,
    role_bindings: Type.Optional(Type.Array(GrantBody, { maxItems: SERVICE_ACCOUNT_BINDINGS_MAX })),
  },
  {
    title: 'CreateServiceAccountRequest',
    examples: [{ name: 'deployer', role_bindings: [{ resource_type: 'organization', role: 'OrgMember' }] }],
  },
);

async function handle({ access, actor, body, services }: AdminCall): Promise<Reply> {
  const { name, role_bindings: requested = [] } = readBody(Body, body);
  checkDisplayName(name, CREDENTIAL_NAME_CHARS_MAX);
  if (requested.length > SERVICE_ACCOUNT_BINDINGS_MAX) {
    throw invalid(`role_bindings must hold at most ${SERVICE_ACCOUNT_BINDINGS_MAX} roles`);
  }
  const grants = requestedGrants(access, requested);
  const createdAt = services.now().toISOString();
  const account = {
    id: newId(),
    organizationId: access.organizationId,
    name,
    clientId: newClientId(),
    createdAt,
    updatedAt: createdAt,
  };
  const client_secret = newClientSecret();
  const row = { ...account, secretSha256: digestOf(client_secret) };
  await services.administration.serviceAccounts.create(row, grants, actor);
  return { status: 201, body: { service_account: serviceAccountToWire(account), client_secret } };
}

export const createServiceAccount: AdminEndpoint = {
  id: 'create_service_account',
  method: 'POST',
  path: '/admin/service-accounts',
  tag: 'Service accounts',
  summary: 'Create a service account',
  description: 'Without roles it can obtain tokens but do nothing with them.',
  since: '2026-04',
  errors: 'standard',
  body: Body,
  success: {
    status: 201,
    description: 'The new service account and its secret.',
    schema: ServiceAccountWithSecret,
  },
  faults: ['invalid-argument', 'access-forbidden', 'project-not-found'],
  permission: 'admin::service_accounts::write',
  scope: 'organization',
  handle,
};
