// GET /admin/projects: lists the projects that the caller may see.
import { may } from '../../../domain/administration/authorize.ts';
import { Type } from '../../schema/type.ts';
import type { AdminEndpoint } from './admin-endpoint.ts';
import { ProjectObject, projectToWire } from './project-wire.ts';

export const listProjects: AdminEndpoint = {
  id: 'list_projects',
  method: 'GET',
  path: '/admin/projects',
  tag: 'Projects',
  summary: 'List projects',
  description: 'The projects that the caller may see, oldest first. Not paginated.',
  since: '2025-04',
  errors: 'standard',
  success: {
    status: 200,
    description: 'The projects.',
    schema: Type.Object({ data: Type.Array(ProjectObject) }),
  },
  faults: [],
  permission: null,
  scope: 'anywhere',
  handle: async ({ access, services }) => {
    const projects = await services.administration.projects.list(access.organizationId);
    const visible = projects.filter(({ id }) => may(access, 'admin::project::read', id));
    return { status: 200, body: { data: visible.map(projectToWire) } };
  },
};
