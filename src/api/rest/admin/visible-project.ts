// Finds the project of a path, for callers that may see it.
import type { Ref } from '../../../catalog/port.ts';
import { authorize } from '../../../domain/administration/authorize.ts';
import type { Permission } from '../../../domain/administration/permissions.ts';
import { fault } from '../../../domain/faults.ts';
import type { AdminCall } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';

/** The permission that makes the project visible, and the one that the operation also requires. */
export interface ProjectGuard {
  readonly see: Permission;
  readonly act?: Permission;
}

/** Does not check that the project exists. @throws invalid-argument, project-not-found, access-forbidden */
export function authorizedProject(call: AdminCall, guard: ProjectGuard): Ref {
  const ref = pathRef(call, 'project_id');
  authorize(call.access, {
    ...guard,
    projectId: ref.id,
    missing: fault('project-not-found', { id: ref.id }),
  });
  return ref;
}
