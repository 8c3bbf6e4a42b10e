// GET /admin/service-accounts: lists the service accounts of the organization, in pages.
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { answerPage, PAGE_QUERY, pageOf } from './page-query.ts';
import { ServiceAccountObject, serviceAccountToWire } from './service-account-wire.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const { access, services } = call;
  return answerPage(call, {
    operation: listServiceAccounts.id,
    filters: [],
    list: (page) => services.administration.serviceAccounts.list(access.organizationId, page),
    toWire: serviceAccountToWire,
  });
}

export const listServiceAccounts: AdminEndpoint = {
  id: 'list_service_accounts',
  method: 'GET',
  path: '/admin/service-accounts',
  tag: 'Service accounts',
  summary: 'List service accounts',
  description: 'Oldest first.',
  since: '2026-04',
  errors: 'standard',
  query: Type.Object(PAGE_QUERY),
  success: { status: 200, description: 'A page of service accounts.', schema: pageOf(ServiceAccountObject) },
  faults: ['invalid-argument', 'limit-out-of-range', 'access-forbidden'],
  permission: 'admin::service_accounts::read',
  scope: 'organization',
  handle,
};
