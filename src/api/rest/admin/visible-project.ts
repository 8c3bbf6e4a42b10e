// The project a path names, for callers that may see it.
import type { Ref } from '../../../catalog/port.ts';
import { authorize } from '../../../domain/administration/authorize.ts';
import type { Permission } from '../../../domain/administration/permissions.ts';
import { fault } from '../../../domain/faults.ts';
import type { AdminCall } from './admin-endpoint.ts';
import { pathRef } from './path-ids.ts';

/** What makes the project visible for the operation, and what the operation needs beside. */
export interface ProjectGuard {
  readonly see: Permission;
  readonly act?: Permission;
}

/** Does not look whether the project exists. @throws invalid-argument, project-not-found, access-forbidden */
export function authorizedProject(call: AdminCall, guard: ProjectGuard): Ref {
  const ref = pathRef(call, 'project_id');
  authorize(call.access, {
    ...guard,
    projectId: ref.id,
    missing: fault('project-not-found', { id: ref.id }),
  });
  return ref;
}
