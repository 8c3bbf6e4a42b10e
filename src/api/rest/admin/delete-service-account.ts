// DELETE /admin/service-accounts/{service_account_id}: deletes a service account, its roles and its tokens.
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';
import { ServiceAccountParams } from './service-account-wire.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const ref = pathRef(call, 'service_account_id');
  await call.services.administration.serviceAccounts.delete(ref, call.actor);
  return { status: 202 };
}

export const deleteServiceAccount: AdminEndpoint = {
  id: 'delete_service_account',
  method: 'DELETE',
  path: '/admin/service-accounts/{service_account_id}',
  tag: 'Service accounts',
  summary: 'Delete a service account',
  description: 'Its roles, its secret and its tokens become invalid at once.',
  since: '2026-04',
  errors: 'standard',
  params: ServiceAccountParams,
  success: { status: 202, description: 'The service account is deleted.' },
  faults: ['invalid-argument', 'access-forbidden', 'service-account-not-found', 'last-owner'],
  permission: 'admin::service_accounts::write',
  scope: 'organization',
  handle,
};
