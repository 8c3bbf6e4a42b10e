// GET /admin/organizations: lists the caller's organization, the only one it can see.
import { may } from '../../../domain/administration/authorize.ts';
import { Type } from '../../schema/type.ts';
import type { AdminEndpoint } from './admin-endpoint.ts';
import { OrganizationObject, organizationToWire } from './organization-wire.ts';

export const listOrganizations: AdminEndpoint = {
  id: 'list_organizations',
  method: 'GET',
  path: '/admin/organizations',
  tag: 'Organizations',
  summary: 'List organizations',
  description: 'The organization of the caller, if it has a role there. Not paginated.',
  since: '2025-04',
  errors: 'standard',
  success: {
    status: 200,
    description: 'The organizations.',
    schema: Type.Object({ data: Type.Array(OrganizationObject) }),
  },
  faults: [],
  permission: null,
  scope: 'anywhere',
  handle: async ({ access, services: { administration } }) => {
    const found = may(access, 'admin::organization::read')
      ? await administration.organizations.find(access.organizationId)
      : null;
    return { status: 200, body: { data: found === null ? [] : [organizationToWire(found)] } };
  },
};
