// PATCH /admin/projects/{project_id}: changes the fields of the body.
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import {
  ProjectObject,
  ProjectParams,
  projectChange,
  projectToWire,
  UpdateProjectBody,
} from './project-wire.ts';
import { readBody } from './read-body.ts';
import { authorizedProject } from './visible-project.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const ref = authorizedProject(call, { see: 'admin::project::read', act: 'admin::project::update' });
  const change = projectChange(readBody(UpdateProjectBody, call.body));
  const project = await call.services.administration.projects.update(ref, change, call.actor);
  return { status: 200, body: projectToWire(project) };
}

export const updateProject: AdminEndpoint = {
  id: 'update_project',
  method: 'PATCH',
  path: '/admin/projects/{project_id}',
  tag: 'Projects',
  summary: 'Update a project',
  since: '2025-04',
  errors: 'standard',
  params: ProjectParams,
  body: UpdateProjectBody,
  success: { status: 200, description: 'The changed project.', schema: ProjectObject },
  faults: ['invalid-argument', 'access-forbidden', 'project-not-found'],
  permission: 'admin::project::update',
  scope: 'anywhere',
  handle,
};
