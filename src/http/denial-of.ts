// Which refusals are denied accesses, and what the audit log says of each.
import type { FastifyRequest } from 'fastify';
import type { Denial } from '../catalog/port.ts';
import type { Actor } from '../domain/administration/audit.ts';
import { maskedPermission } from '../domain/administration/authorize.ts';
import { Fault, type FaultName } from '../domain/faults.ts';

/** Ids in paths are anything a caller likes. */
const QUOTED_CHARS_MAX = 128;
const DENIALS: ReadonlySet<FaultName> = new Set(['unauthenticated', 'permission-denied', 'access-forbidden']);

/** Undefined for refusals that have nothing to do with who asks. */
export function denialOf(
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

/** Who a request acts as, for the audit log. */
export function actorOf({ caller, id }: Pick<FastifyRequest, 'caller' | 'id'>): Actor {
  if (caller === null) return { type: 'anonymous', id: '', requestId: id };
  const { type, id: principalId } = caller.principal;
  return { type, id: principalId, requestId: id };
}

/** The last thing the path names; else the index or the project that the request is about. */
function resourceOf(
  request: FastifyRequest,
  organizationId: string,
): Pick<Denial, 'resourceType' | 'resourceId'> {
  if (request.index !== null) return { resourceType: 'index', resourceId: request.index.id };
  const places = Object.entries((request.params ?? {}) as Readonly<Record<string, string>>);
  const [place, value] = places.filter(([name]) => name !== '*').at(-1) ?? [];
  if (place !== undefined && value !== undefined) {
    return { resourceType: place.replace(/_(id|name)$/, ''), resourceId: value.slice(0, QUOTED_CHARS_MAX) };
  }
  const project = request.caller?.project?.access.projectId;
  return project === undefined
    ? { resourceType: 'organization', resourceId: organizationId }
    : { resourceType: 'project', resourceId: project };
}
