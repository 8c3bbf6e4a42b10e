// DELETE /admin/organizations/{organization_id}: deletes an organization without projects.
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { OrganizationParams } from './organization-wire.ts';
import { ownOrganization } from './own-organization.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const { id } = await ownOrganization(call, 'admin::organization::delete');
  await call.services.administration.organizations.delete(id, call.actor);
  return { status: 200 };
}

export const deleteOrganization: AdminEndpoint = {
  id: 'delete_organization',
  method: 'DELETE',
  path: '/admin/organizations/{organization_id}',
  tag: 'Organizations',
  summary: 'Delete an organization',
  description:
    "Also deletes the organization's memberships, service accounts and invites, including the caller's own, whose access ends.",
  since: '2025-04',
  errors: 'standard',
  params: OrganizationParams,
  // The published specification says 202, but a strict client accepts 200 alone and the others accept either.
  success: { status: 200, description: 'The organization is deleted.' },
  faults: ['access-forbidden', 'organization-not-found', 'organization-not-empty'],
  permission: 'admin::organization::delete',
  scope: 'organization',
  handle,
};
