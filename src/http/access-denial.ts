// Decides which refusals are access denials, and what the audit log records of each.

import type { FastifyRequest } from 'fastify';
import type { Denial } from '../catalog/port.ts';
import type { Actor } from '../domain/administration/audit.ts';
import { maskedPermission } from '../domain/administration/authorize.ts';
import { Fault, type FaultName } from '../domain/faults.ts';
import { AUDIT_QUOTED_CHARS_MAX, quoted } from '../domain/quoted.ts';
import { urlFields } from './routes/request-fields.ts';

/** Bounds the ids taken from paths, which callers choose freely. */
const DENIALS: ReadonlySet<FaultName> = new Set([
  'unauthenticated',
  'too-many-attempts',
  'permission-denied',
  'access-forbidden',
]);

/** Undefined for refusals that do not depend on the caller. */
export function accessDenialOf(
  homeOrganizationId: string,
  request: FastifyRequest,
  error: unknown,
): Omit<Denial, 'count'> | undefined {
  const masked = maskedPermission(error);
  if (!(error instanceof Fault) || (masked === undefined && !DENIALS.has(error.condition))) return undefined;
  const { caller, routeOptions } = request;
  const organizationId = caller?.organizationId ?? homeOrganizationId;
  const permission = masked ?? routeOptions.config.endpoint?.permission ?? undefined;
  return {
    organizationId,
    at: new Date().toISOString(),
    actor: actorOf(request),
    action: routeOptions.config.endpoint?.id ?? 'unknown',
    ...resourceOf(request, organizationId),
    details: {
      reason: error.condition,
      ...(permission === undefined ? {} : { permission }),
      ...(caller === null ? { address: request.ip } : {}),
    },
  };
}

/** The actor that the audit log names for a request. */
export function actorOf({ caller, id }: Pick<FastifyRequest, 'caller' | 'id'>): Actor {
  if (caller === null) return { type: 'anonymous', id: '', requestId: id };
  const { type, id: principalId } = caller.principal;
  return { type, id: principalId, requestId: id };
}

/** The last resource named in the path; else the index or the project of the request. */
function resourceOf(
  request: FastifyRequest,
  organizationId: string,
): Pick<Denial, 'resourceType' | 'resourceId'> {
  if (request.index !== null) return { resourceType: 'index', resourceId: request.index.id };
  const parameters = Object.entries(urlFields(request).params);
  const [parameter, value] = parameters.filter(([name]) => name !== '*').at(-1) ?? [];
  if (parameter !== undefined && value !== undefined) {
    return {
      resourceType: parameter.replace(/_(id|name)$/, ''),
      resourceId: quoted(value, AUDIT_QUOTED_CHARS_MAX),
    };
  }
  const project = request.caller?.project?.access.projectId;
  return project === undefined
    ? { resourceType: 'organization', resourceId: organizationId }
    : { resourceType: 'project', resourceId: project };
}
