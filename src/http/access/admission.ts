// Admission: checks the credential and the permission of an endpoint, before its body is read and once more after.
import type { FastifyRequest } from 'fastify';
import type { Credential } from '../../api/endpoint.ts';
import { forbidden, may, mayAnywhere } from '../../domain/administration/authorize.ts';
import type { Permission } from '../../domain/administration/permissions.ts';
import { fault } from '../../domain/faults.ts';
import { type Authenticators, authenticate, type Caller } from './authenticate.ts';

/** The path of a request as the router reads it. Raw clients may send a fragment too. */
export function pathOf({ url }: FastifyRequest): string {
  return url.split(/[?#]/, 1)[0] ?? '/';
}

/**
 * Records the caller on the request, unless its route needs no credential. Synchronous for keys, asynchronous for tokens.
 * @throws unauthenticated
 */
export function identify(authenticators: Authenticators, request: FastifyRequest): void | Promise<void> {
  const { open, credential = credentialAt(pathOf(request)) } = request.routeOptions.config;
  if (open === true || credential === 'none') return undefined;
  const known = authenticate(authenticators, credential, request.headers);
  return known instanceof Promise ? known.then((caller) => note(request, caller)) : note(request, known);
}

/** @throws permission-denied, access-forbidden */
export function requirePermission(
  authenticators: Pick<Authenticators, 'ignoresRoles'>,
  request: FastifyRequest,
): void {
  const { caller, routeOptions } = request;
  const { permission = null, scope } = routeOptions.config.endpoint ?? {};
  if (caller === null || permission === null) return;
  if (caller.organization !== undefined) {
    const { organization } = caller;
    const isAllowed =
      scope === 'organization' ? may(organization, permission) : mayAnywhere(organization, permission);
    if (!isAllowed) throw forbidden(permission);
  } else if (!mayInProject(authenticators, request, permission)) {
    throw fault('permission-denied', { permission });
  }
}

/** Whether the caller has the permission in the project of the credential. */
export function mayInProject(
  { ignoresRoles }: Pick<Authenticators, 'ignoresRoles'>,
  request: FastifyRequest,
  permission: Permission,
): boolean {
  return request.caller?.project?.permissions.has(permission) === true || ignoresRoles?.(request) === true;
}

/**
 * Checks the caller again once the body has arrived. A client may take long to send it; a key that was deleted or a
 * role that was revoked in the meantime no longer counts. Synchronous for keys, asynchronous for tokens.
 * @throws unauthenticated, permission-denied, access-forbidden
 */
export function readmit(authenticators: Authenticators, request: FastifyRequest): void | Promise<void> {
  const { project } = request.caller ?? {};
  if (project !== undefined && authenticators.principals.isCurrent(project)) return undefined;
  const known = identify(authenticators, request);
  if (known instanceof Promise) return known.then(() => requirePermission(authenticators, request));
  requirePermission(authenticators, request);
  return undefined;
}

function note(request: FastifyRequest, caller: Caller): void {
  request.caller = caller;
  request.access = caller.project?.access ?? null;
}

/** Unknown paths require the credential of the known paths beside them. */
function credentialAt(path: string): Exclude<Credential, 'none'> {
  return path === '/admin' || path.startsWith('/admin/') ? 'access-token' : 'api-key';
}
