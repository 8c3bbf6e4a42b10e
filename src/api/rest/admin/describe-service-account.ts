// GET /admin/service-accounts/{service_account_id}: describes a service account.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';
import { ServiceAccountObject, ServiceAccountParams, serviceAccountToWire } from './service-account-wire.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const ref = pathRef(call, 'service_account_id');
  const account = await call.services.administration.serviceAccounts.find(ref);
  if (account === null) throw fault('service-account-not-found', { id: ref.id });
  return { status: 200, body: serviceAccountToWire(account) };
}

export const describeServiceAccount: AdminEndpoint = {
  id: 'fetch_service_account',
  method: 'GET',
  path: '/admin/service-accounts/{service_account_id}',
  tag: 'Service accounts',
  summary: 'Describe a service account',
  since: '2026-04',
  errors: 'standard',
  params: ServiceAccountParams,
  success: { status: 200, description: 'The service account.', schema: ServiceAccountObject },
  faults: ['invalid-argument', 'access-forbidden', 'service-account-not-found'],
  permission: 'admin::service_accounts::read',
  scope: 'organization',
  handle,
};
