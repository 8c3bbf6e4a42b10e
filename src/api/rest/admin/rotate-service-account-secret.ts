// POST /admin/service-accounts/{service_account_id}/rotate-secret: replaces the secret and shows the new one once.
import { digestOf, newClientSecret } from '../../../domain/administration/credentials.ts';
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';
import {
  ServiceAccountParams,
  ServiceAccountWithSecret,
  serviceAccountToWire,
} from './service-account-wire.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const ref = pathRef(call, 'service_account_id');
  const client_secret = newClientSecret();
  const { administration } = call.services;
  const account = await administration.serviceAccounts.rotateSecret(ref, digestOf(client_secret), call.actor);
  return { status: 200, body: { service_account: serviceAccountToWire(account), client_secret } };
}

export const rotateServiceAccountSecret: AdminEndpoint = {
  id: 'rotate_service_account_secret',
  method: 'POST',
  path: '/admin/service-accounts/{service_account_id}/rotate-secret',
  tag: 'Service accounts',
  summary: "Rotate a service account's secret",
  description: 'The old secret and every token obtained with it are refused at once.',
  since: '2026-04',
  errors: 'standard',
  params: ServiceAccountParams,
  success: {
    status: 200,
    description: 'The service account and its new secret.',
    schema: ServiceAccountWithSecret,
  },
  faults: ['invalid-argument', 'access-forbidden', 'service-account-not-found'],
  permission: 'admin::service_accounts::write',
  scope: 'organization',
  handle,
};
