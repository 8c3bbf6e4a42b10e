// PATCH /admin/service-accounts/{service_account_id}: renames a service account.
import { CREDENTIAL_NAME_CHARS_MAX } from '../../../domain/administration/limits.ts';
import { checkDisplayName } from '../../../domain/administration/names.ts';
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { CredentialName } from './api-key-wire.ts';
import { pathRef } from './path-ids.ts';
import { readBody } from './read-body.ts';
import { ServiceAccountObject, ServiceAccountParams, serviceAccountToWire } from './service-account-wire.ts';

const Body = Type.Object({ name: Type.Optional(CredentialName) });

async function handle(call: AdminCall): Promise<Reply> {
  const ref = pathRef(call, 'service_account_id');
  const { administration, now } = call.services;
  const account = await administration.serviceAccounts.find(ref);
  if (account === null) throw fault('service-account-not-found', { id: ref.id });
  const { name } = readBody(Body, call.body);
  if (name === undefined) return { status: 200, body: serviceAccountToWire(account) };
  checkDisplayName(name, CREDENTIAL_NAME_CHARS_MAX);
  const change = { name, updatedAt: now().toISOString() };
  const renamed = await administration.serviceAccounts.rename(ref, change, call.actor);
  return { status: 200, body: serviceAccountToWire(renamed) };
}

export const updateServiceAccount: AdminEndpoint = {
  id: 'update_service_account',
  method: 'PATCH',
  path: '/admin/service-accounts/{service_account_id}',
  tag: 'Service accounts',
  summary: 'Update a service account',
  since: '2026-04',
  errors: 'standard',
  params: ServiceAccountParams,
  body: Body,
  success: { status: 200, description: 'The service account as changed.', schema: ServiceAccountObject },
  faults: ['invalid-argument', 'access-forbidden', 'service-account-not-found'],
  permission: 'admin::service_accounts::write',
  scope: 'organization',
  handle,
};
