// PUT /admin/projects/{project_id}/quota and /admin/api-keys/{api_key_id}/quota: replaces what a project or key may use.
// Only for owners of the organization, who answer for the server: a project's own must not lift its bounds. Not in the
// public API.
import { fault } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { ApiKeyParams } from './api-key-wire.ts';
import { keyQuotaReply, projectQuotaReply } from './describe-quota.ts';
import { ProjectParams } from './project-wire.ts';
import {
  KeyQuotaBody,
  KeyQuotaObject,
  ProjectQuotaBody,
  ProjectQuotaObject,
  quotaOfWire,
} from './quota-wire.ts';
import { readBody } from './read-body.ts';
import { visibleApiKey } from './visible-api-key.ts';
import { authorizedProject } from './visible-project.ts';

const EXTENSION = 'An extension of this server, not part of the public API.';

async function setOfProject(call: AdminCall): Promise<Reply> {
  const { services, access, actor, body } = call;
  const ref = authorizedProject(call, { see: 'admin::project::read' });
  const project = await services.administration.projects.find(ref);
  if (project === null) throw fault('project-not-found', { id: ref.id });
  const quota = quotaOfWire(readBody(ProjectQuotaBody, body));
  await services.quotas.set(
    { subject: { kind: 'project', id: project.id }, quota },
    access.organizationId,
    actor,
  );
  return projectQuotaReply(call, project.id);
}

async function setOfKey(call: AdminCall): Promise<Reply> {
  const { services, access, actor, body } = call;
  const { id } = await visibleApiKey(call);
  const quota = quotaOfWire(readBody(KeyQuotaBody, body));
  await services.quotas.set({ subject: { kind: 'key', id }, quota }, access.organizationId, actor);
  return keyQuotaReply(call, id);
}

export const setProjectQuota: AdminEndpoint = {
  id: 'set_project_quota',
  method: 'PUT',
  path: '/admin/projects/{project_id}/quota',
  tag: 'Quotas',
  summary: 'Set the quota of a project',
  description: `Holds at once, and is kept. ${EXTENSION}`,
  since: '2025-04',
  errors: 'standard',
  params: ProjectParams,
  body: ProjectQuotaBody,
  success: { status: 200, description: 'The quota as it is now.', schema: ProjectQuotaObject },
  faults: ['invalid-argument', 'access-forbidden', 'project-not-found'],
  permission: 'admin::organization::update',
  scope: 'organization',
  handle: setOfProject,
};

export const setKeyQuota: AdminEndpoint = {
  id: 'set_api_key_quota',
  method: 'PUT',
  path: '/admin/api-keys/{api_key_id}/quota',
  tag: 'Quotas',
  summary: 'Set the quota of an API key',
  description: `Holds at once, and is kept. It counts beside the quota of its project. ${EXTENSION}`,
  since: '2025-04',
  errors: 'standard',
  params: ApiKeyParams,
  body: KeyQuotaBody,
  success: { status: 200, description: 'The quota as it is now.', schema: KeyQuotaObject },
  faults: ['invalid-argument', 'access-forbidden', 'api-key-not-found'],
  permission: 'admin::organization::update',
  scope: 'organization',
  handle: setOfKey,
};
