// GET /admin/projects/{project_id}/api-keys: lists the keys of a project, without their secrets.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { ApiKeyObject, apiKeyToWire } from './api-key-wire.ts';
import { ProjectParams } from './project-wire.ts';
import { authorizedProject } from './visible-project.ts';

async function handle(call: AdminCall): Promise<Reply> {
  const project = authorizedProject(call, { see: 'admin::api_keys::read' });
  const { administration } = call.services;
  if ((await administration.projects.find(project)) === null)
    throw fault('project-not-found', { id: project.id });
  const keys = await administration.apiKeys.list(project);
  return { status: 200, body: { data: keys.map(apiKeyToWire) } };
}

export const listApiKeys: AdminEndpoint = {
  id: 'list_project_api_keys',
  method: 'GET',
  path: '/admin/projects/{project_id}/api-keys',
  tag: 'API keys',
  summary: 'List API keys',
  description: 'Oldest first. Not paginated.',
  since: '2025-04',
  errors: 'standard',
  params: ProjectParams,
  success: {
    status: 200,
    description: 'The keys of the project.',
    schema: Type.Object({ data: Type.Array(ApiKeyObject) }),
  },
  faults: ['invalid-argument', 'access-forbidden', 'project-not-found'],
  permission: 'admin::api_keys::read',
  scope: 'anywhere',
  handle,
};
