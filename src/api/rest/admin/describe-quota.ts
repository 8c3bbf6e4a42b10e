// GET /admin/projects/{project_id}/quota and /admin/api-keys/{api_key_id}/quota: what a project or key may use. Not in
// the public API.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { ApiKeyParams } from './api-key-wire.ts';
import { ProjectParams } from './project-wire.ts';
import { KeyQuotaObject, keyQuotaToWire, ProjectQuotaObject, projectQuotaToWire } from './quota-wire.ts';
import { visibleApiKey } from './visible-api-key.ts';
import { authorizedProject } from './visible-project.ts';

/** The answer about a project that exists. */
export async function projectQuotaReply({ services: { quotas } }: AdminCall, id: string): Promise<Reply> {
  const subject = { kind: 'project', id } as const;
  const usage = await quotas.usage(id);
  return { status: 200, body: projectQuotaToWire(quotas.own(subject), quotas.effective(subject), usage) };
}

/** The answer about a key that exists. */
export function keyQuotaReply({ services: { quotas } }: AdminCall, id: string): Reply {
  const subject = { kind: 'key', id } as const;
  return { status: 200, body: keyQuotaToWire(quotas.own(subject), quotas.effective(subject)) };
}

async function describeOfProject(call: AdminCall): Promise<Reply> {
  const ref = authorizedProject(call, { see: 'admin::project::read' });
  const project = await call.services.administration.projects.find(ref);
  if (project === null) throw fault('project-not-found', { id: ref.id });
  return projectQuotaReply(call, project.id);
}

export const describeProjectQuota: AdminEndpoint = {
  id: 'fetch_project_quota',
  method: 'GET',
  path: '/admin/projects/{project_id}/quota',
  tag: 'Quotas',
  summary: 'Describe the quota of a project',
  description:
    'What the project may use and what it uses. An extension of this server, not part of the public API.',
  since: '2025-04',
  errors: 'standard',
  params: ProjectParams,
  success: { status: 200, description: 'The quota.', schema: ProjectQuotaObject },
  faults: ['invalid-argument', 'project-not-found'],
  permission: null,
  scope: 'anywhere',
  handle: describeOfProject,
};

export const describeKeyQuota: AdminEndpoint = {
  id: 'fetch_api_key_quota',
  method: 'GET',
  path: '/admin/api-keys/{api_key_id}/quota',
  tag: 'Quotas',
  summary: 'Describe the quota of an API key',
  description: 'An extension of this server, not part of the public API.',
  since: '2025-04',
  errors: 'standard',
  params: ApiKeyParams,
  success: { status: 200, description: 'The quota.', schema: KeyQuotaObject },
  faults: ['invalid-argument', 'access-forbidden', 'api-key-not-found'],
  permission: 'admin::api_keys::read',
  scope: 'anywhere',
  handle: async (call) => keyQuotaReply(call, (await visibleApiKey(call)).id),
};
