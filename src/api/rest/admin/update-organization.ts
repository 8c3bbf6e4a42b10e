// PATCH /admin/organizations/{organization_id}: renames the organization.
import { PLACE_NAME_CHARS_MAX } from '../../../domain/administration/limits.ts';
import { checkDisplayName } from '../../../domain/administration/names.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import {
  OrganizationObject,
  OrganizationParams,
  organizationToWire,
  PlaceName,
} from './organization-wire.ts';
import { ownOrganization } from './own-organization.ts';
import { readBody } from './read-body.ts';

const Body = Type.Object({ name: Type.Optional(PlaceName) });

async function handle(call: AdminCall): Promise<Reply> {
  const organization = await ownOrganization(call, 'admin::organization::update');
  const { name } = readBody(Body, call.body);
  if (name === undefined) return { status: 200, body: organizationToWire(organization) };
  checkDisplayName(name, PLACE_NAME_CHARS_MAX);
  const { administration } = call.services;
  const renamed = await administration.organizations.rename(organization.id, name, call.actor);
  return { status: 200, body: organizationToWire(renamed) };
}

export const updateOrganization: AdminEndpoint = {
  id: 'update_organization',
  method: 'PATCH',
  path: '/admin/organizations/{organization_id}',
  tag: 'Organizations',
  summary: 'Update an organization',
  since: '2025-04',
  errors: 'standard',
  params: OrganizationParams,
  body: Body,
  success: { status: 200, description: 'The changed organization.', schema: OrganizationObject },
  faults: ['invalid-argument', 'access-forbidden', 'organization-not-found'],
  permission: 'admin::organization::update',
  scope: 'organization',
  handle,
};
