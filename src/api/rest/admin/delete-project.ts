// DELETE /admin/projects/{project_id}: ends a project that holds nothing any more; its keys die at once.
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { ProjectParams } from './project-wire.ts';
import { authorizedProject } from './visible-project.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const ref = authorizedProject(call, { see: 'admin::project::read', act: 'admin::project::delete' });
  await call.services.administration.projects.delete(ref, call.actor);
  return { status: 202 };
}

export const deleteProject: AdminEndpoint = {
  id: 'delete_project',
  method: 'DELETE',
  path: '/admin/projects/{project_id}',
  tag: 'Projects',
  summary: 'Delete a project',
  description:
    'Its indexes and other resources must be deleted first. API keys and role bindings of the project end at once; ' +
    'what is left is cleared away behind the answer.',
  since: '2025-04',
  errors: 'standard',
  params: ProjectParams,
  success: { status: 202, description: 'The deletion is accepted; nothing finds the project any more.' },
  faults: ['invalid-argument', 'access-forbidden', 'project-not-found', 'project-not-empty'],
  permission: 'admin::project::delete',
  scope: 'anywhere',
  handle,
};
