// POST /admin/projects: creates a project, of which the caller becomes an owner.
import { newId } from '../../../domain/ids.ts';
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { CreateProjectBody, ProjectObject, projectChange, projectToWire } from './project-wire.ts';
import { readBody } from './read-body.ts';

async function handle({ access, actor, body, services }: AdminCall): Promise<Reply> {
  const requested = readBody(CreateProjectBody, body);
  const project = {
    id: newId(),
    organizationId: access.organizationId,
    maxPods: 0,
    forceEncryptionWithCmek: false,
    ...projectChange(requested),
    name: requested.name,
    createdAt: services.now().toISOString(),
  };
  await services.administration.projects.create(project, actor);
  return { status: 200, body: projectToWire(project) };
}

export const createProject: AdminEndpoint = {
  id: 'create_project',
  method: 'POST',
  path: '/admin/projects',
  tag: 'Projects',
  summary: 'Create a project',
  description: 'The caller becomes its ProjectOwner. Names need not be unique.',
  since: '2025-04',
  errors: 'standard',
  body: CreateProjectBody,
  success: { status: 200, description: 'The new project.', schema: ProjectObject },
  faults: ['invalid-argument', 'access-forbidden'],
  permission: 'admin::projects::create',
  scope: 'organization',
  handle,
};
