// GET /admin/audit-log: lists who did what to which resource and when, newest first, in pages. Not in the public API.
import type { AuditEntry, AuditOutcome } from '../../../domain/administration/audit.ts';
import { invalid } from '../../../domain/faults.ts';
import type { QueryValues, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';
import { queryString } from '../records/request-fields.ts';
import type { AdminCall, AdminEndpoint } from './admin-endpoint.ts';
import { answerPage, PAGE_QUERY, pageOf } from './page-query.ts';

const OUTCOMES: readonly AuditOutcome[] = ['allowed', 'denied'];

const AuditEntryObject = Type.Object(
  {
    id: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    actor: Type.Object({
      type: Type.String({
        description: '`user`, `service_account`, `api_key`; `anonymous` without a credential; `system`.',
      }),
      id: Type.Union([Type.String(), Type.Null()]),
    }),
    action: Type.String({
      description: '`resource.verb`, for example `api_key.create`; for a denied access, its operation.',
    }),
    resource_type: Type.String(),
    resource_id: Type.Union([Type.String(), Type.Null()]),
    outcome: choice(OUTCOMES),
    request_id: Type.Union([Type.String(), Type.Null()], {
      description: 'The id in `x-request-id` and in the log.',
    }),
    details: Type.Object(
      {},
      { additionalProperties: true, description: 'Names, roles and similar details; no secrets.' },
    ),
    count: Type.Integer({
      description: 'The number of equal events in this entry: denied accesses come in bursts.',
    }),
  },
  {
    title: 'AuditEntry',
    examples: [
      {
        id: '1204',
        created_at: '2026-07-01T09:30:00.000Z',
        actor: { type: 'service_account', id: '5e6f7081-9a0b-4c1d-8e2f-3a4b5c6d7e8f' },
        action: 'api_key.create',
        resource_type: 'api_key',
        resource_id: '4d5e6f70-8a9b-4c0d-9e1f-2a3b4c5d6e7f',
        outcome: 'allowed',
        request_id: '70819203-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
        details: { name: 'backend' },
        count: 1,
      },
    ],
  },
);

async function handle(call: AdminCall): Promise<Reply> {
  const { access, query, services } = call;
  const filters = readFilters(query);
  const { actorId, action, resourceId, outcome } = filters;
  return answerPage(call, {
    operation: listAuditEntries.id,
    filters: [actorId, action, resourceId, outcome],
    list: ({ limit, after }) =>
      services.administration.audit.list({
        organizationId: access.organizationId,
        limit,
        before: after,
        ...filters,
      }),
    toWire: auditEntryToWire,
  });
}

/** @throws invalid-argument */
function readFilters(query: QueryValues) {
  const actorId = queryString(query, 'actor_id');
  const action = queryString(query, 'action');
  const resourceId = queryString(query, 'resource_id');
  const requested = queryString(query, 'outcome');
  const outcome = OUTCOMES.find((each) => each === requested);
  if (requested !== undefined && outcome === undefined) throw invalid('outcome must be allowed or denied');
  return {
    ...(actorId === undefined ? {} : { actorId }),
    ...(action === undefined ? {} : { action }),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function auditEntryToWire(entry: AuditEntry) {
  const { id, at, actor, action, resourceType, resourceId, outcome, details, count } = entry;
  return {
    id,
    created_at: at,
    actor: { type: actor.type, id: actor.id === '' ? null : actor.id },
    action,
    resource_type: resourceType,
    resource_id: resourceId === '' ? null : resourceId,
    outcome,
    request_id: actor.requestId,
    details,
    count,
  };
}

export const listAuditEntries: AdminEndpoint = {
  id: 'list_audit_entries',
  method: 'GET',
  path: '/admin/audit-log',
  tag: 'Audit log',
  summary: 'List audit entries',
  description:
    'Every administrative change and every denied access, newest first. An extension of this server, not part of the public API.',
  since: '2026-04',
  errors: 'standard',
  query: Type.Object({
    actor_id: Type.Optional(
      Type.String({
        description: 'Only entries of this principal.',
        examples: ['5e6f7081-9a0b-4c1d-8e2f-3a4b5c6d7e8f'],
      }),
    ),
    action: Type.Optional(
      Type.String({ description: 'Only entries of this action.', examples: ['api_key.create'] }),
    ),
    resource_id: Type.Optional(
      Type.String({
        description: 'Only entries of this resource.',
        examples: ['4d5e6f70-8a9b-4c0d-9e1f-2a3b4c5d6e7f'],
      }),
    ),
    outcome: Type.Optional(choice(OUTCOMES)),
    ...PAGE_QUERY,
  }),
  success: { status: 200, description: 'A page of entries.', schema: pageOf(AuditEntryObject) },
  faults: ['invalid-argument', 'limit-out-of-range', 'access-forbidden'],
  permission: 'admin::audit_log::read',
  scope: 'organization',
  handle,
};
