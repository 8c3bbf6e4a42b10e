// GET /admin/organizations/{organization_id}: describes the caller's organization.
import type { AdminEndpoint } from './admin-endpoint.ts';
import { OrganizationObject, OrganizationParams, organizationToWire } from './organization-wire.ts';
import { ownOrganization } from './own-organization.ts';

export const describeOrganization: AdminEndpoint = {
  id: 'fetch_organization',
  method: 'GET',
  path: '/admin/organizations/{organization_id}',
  tag: 'Organizations',
  summary: 'Describe an organization',
  since: '2025-04',
  errors: 'standard',
  params: OrganizationParams,
  success: { status: 200, description: 'The organization.', schema: OrganizationObject },
  faults: ['organization-not-found'],
  permission: null,
  scope: 'anywhere',
  handle: async (call) => ({ status: 200, body: organizationToWire(await ownOrganization(call)) }),
};
