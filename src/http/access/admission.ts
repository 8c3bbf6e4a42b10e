// Who is let in: the credential and the permission an endpoint asks for, before its body is read and once more after.
import type { FastifyRequest } from 'fastify';
import type { Credential } from '../../api/endpoint.ts';
import { forbidden, may, mayAnywhere } from '../../domain/administration/authorize.ts';
import { fault } from '../../domain/faults.ts';
import { type Authenticators, authenticate, type Caller } from './authenticate.ts';

/** The path of a request as the router reads it: raw clients may send a fragment, too. */
export function pathOf({ url }: FastifyRequest): string {
  return url.split(/[?#]/, 1)[0] ?? '/';
}

/**
 * Notes on the request who calls, unless its route asks for no credential. At once for keys, later for tokens.
 * @throws unauthenticated
 */
export function identify(authenticators: Authenticators, request: FastifyRequest): void | Promise<void> {
  const { open, credential = credentialAt(pathOf(request)) } = request.routeOptions.config;
  if (open === true || credential === 'none') return undefined;
  const known = authenticate(authenticators, credential, request.headers);
  return known instanceof Promise ? known.then((caller) => note(request, caller)) : note(request, known);
}

/** @throws permission-denied, access-forbidden */
export function requirePermission({ caller, routeOptions }: FastifyRequest): void {
  const { permission = null, scope } = routeOptions.config.endpoint ?? {};
  if (caller === null || permission === null) return;
  if (caller.organization !== undefined) {
    const { organization } = caller;
    const isAllowed =
      scope === 'organization' ? may(organization, permission) : mayAnywhere(organization, permission);
    if (!isAllowed) throw forbidden(permission);
  } else if (caller.project?.permissions.has(permission) !== true) {
    throw fault('permission-denied', { permission });
  }
}

/**
 * To be called once a body is there. Clients take as long as they like to send one; a key that was deleted or a
 * role that was taken away in the meantime opens nothing more. At once for keys, later for tokens.
 * @throws unauthenticated, permission-denied, access-forbidden
 */
export function readmit(authenticators: Authenticators, request: FastifyRequest): void | Promise<void> {
  const { project } = request.caller ?? {};
  if (project !== undefined && authenticators.principals.isCurrent(project)) return undefined;
  const known = identify(authenticators, request);
  if (known instanceof Promise) return known.then(() => requirePermission(request));
  requirePermission(request);
  return undefined;
}

function note(request: FastifyRequest, caller: Caller): void {
  request.caller = caller;
  request.access = caller.project?.access ?? null;
}

/** Callers of paths that do not exist show what those around them ask for. */
function credentialAt(path: string): Exclude<Credential, 'none'> {
  return path === '/admin' || path.startsWith('/admin/') ? 'access-token' : 'api-key';
}
