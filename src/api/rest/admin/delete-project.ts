// DELETE /admin/projects/{project_id}: deletes an empty project, and its keys with immediate effect.
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
    'Its indexes and other resources must be deleted first. API keys and role bindings of the project become invalid at once; ' +
    'remaining data is removed in the background.',
  since: '2025-04',
  errors: 'standard',
  params: ProjectParams,
  success: { status: 202, description: 'The deletion is accepted; the project is no longer visible.' },
  faults: ['invalid-argument', 'access-forbidden', 'project-not-found', 'project-not-empty'],
  permission: 'admin::project::delete',
  scope: 'anywhere',
  handle,
};
