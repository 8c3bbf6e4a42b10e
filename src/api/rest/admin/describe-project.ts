// GET /admin/projects/{project_id}: describes a project.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { ProjectObject, ProjectParams, projectToWire } from './project-wire.ts';
import { authorizedProject } from './visible-project.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const ref = authorizedProject(call, { see: 'admin::project::read' });
  const project = await call.services.administration.projects.find(ref);
  if (project === null) throw fault('project-not-found', { id: ref.id });
  return { status: 200, body: projectToWire(project) };
}

export const describeProject: AdminEndpoint = {
  id: 'fetch_project',
  method: 'GET',
  path: '/admin/projects/{project_id}',
  tag: 'Projects',
  summary: 'Describe a project',
  since: '2025-04',
  errors: 'standard',
  params: ProjectParams,
  success: { status: 200, description: 'The project.', schema: ProjectObject },
  faults: ['invalid-argument', 'project-not-found'],
  permission: null,
  scope: 'anywhere',
  handle,
};
