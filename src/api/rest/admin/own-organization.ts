// Finds the organization of a path: the caller's own, or none.

import { authorize } from '../../../domain/administration/authorize.ts';
import type { Organization } from '../../../domain/administration/model.ts';
import type { Permission } from '../../../domain/administration/permissions.ts';
import { fault } from '../../../domain/faults.ts';
import type { AdminCall } from './admin-endpoint.ts';

/** @throws organization-not-found, access-forbidden */
export async function ownOrganization(call: AdminCall, act?: Permission): Promise<Organization> {
  const { access, params, services } = call;
  const id = params.organization_id ?? '';
  const missing = fault('organization-not-found', { id });
  if (id !== access.organizationId) throw missing;
  authorize(access, {
    see: 'admin::organization::read',
    ...(act === undefined ? {} : { act }),
    projectId: null,
    missing,
  });
  const organization = await services.administration.organizations.find(id);
  if (organization === null) throw missing;
  return organization;
}
