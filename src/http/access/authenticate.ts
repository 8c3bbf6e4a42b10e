// The authentication step: resolves the credential that a route requires to a caller, or fails with 401.
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Credential } from '../../api/endpoint.ts';
import type { ConsoleSessions } from '../../app/access/console-sessions.ts';
import type { Principals } from '../../app/access/principals.ts';
import { sessionOfKey, type Tokens } from '../../app/access/tokens.ts';
import type { OrganizationAccess, ProjectAccess } from '../../domain/access.ts';
import { forbidden } from '../../domain/administration/authorize.ts';
import type { ConsoleSession } from '../../domain/administration/console-session.ts';
import type { Session } from '../../domain/administration/identity.ts';
import type { Principal } from '../../domain/administration/model.ts';
import type { PermissionSet } from '../../domain/administration/permissions.ts';
import { fault } from '../../domain/faults.ts';
import { isConsoleRequest, sessionHolderOf } from './console-caller.ts';

/** The caller of a request. The credential decides which of the accesses it has. */
export interface Caller {
  readonly principal: Principal;
  readonly organizationId: string;
  readonly project?: { readonly access: ProjectAccess; readonly permissions: PermissionSet };
  readonly organization?: OrganizationAccess;
  readonly session?: Session;
  /** Set for callers who are signed in to the console. */
  readonly consoleSession?: ConsoleSession;
}

export interface Authenticators {
  readonly principals: Principals;
  readonly tokens: Pick<Tokens, 'accessOf' | 'sessionOf'>;
  /** Absent where sessions of the console do not count: on addresses of indexes and for gRPC. */
  readonly consoleSessions?: Pick<ConsoleSessions, 'find'>;
  /** True for requests that a valid key may make whatever its roles. If absent, there are none. */
  readonly ignoresRoles?: (request: FastifyRequest) => boolean;
}

/** Synchronous for keys, which every data request has; asynchronous for tokens. @throws unauthenticated */
export function authenticate(
  authenticators: Authenticators,
  credential: Exclude<Credential, 'none'>,
  headers: IncomingHttpHeaders,
): Caller | Promise<Caller> {
  const { consoleSessions } = authenticators;
  if (credential === 'console-session' || (consoleSessions !== undefined && isConsoleRequest(headers))) {
    return byConsoleSession(consoleSessions, credential, headers);
  }
  if (credential === 'api-key') return byKey(authenticators, apiKeyOf(headers));
  if (credential === 'bearer-key') return byKey(authenticators, presentedKey(headers));
  if (credential === 'access-token') return byAccessToken(authenticators, headers);
  return bySession(authenticators, headers);
}

/** The key of a request that may have it as a bearer token. One in its own header counts before. */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  // Keys may have any visible characters, unlike tokens.
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  return apiKeyOf(headers) ?? bearer;
}

function apiKeyOf({ 'api-key': presented }: IncomingHttpHeaders): string | undefined {
  return typeof presented === 'string' ? presented : undefined;
}

function byKey({ principals }: Authenticators, presented: string | undefined): Caller {
  const holder = principals.authenticateKey(presented);
  if (holder === undefined) throw fault('unauthenticated');
  const { organizationId, principalId } = holder.access;
  return { principal: { type: 'api_key', id: principalId }, organizationId, project: holder };
}

/** @throws unauthenticated, access-forbidden for a session that cannot stand for the credential */
function byConsoleSession(
  sessions: Authenticators['consoleSessions'],
  credential: Exclude<Credential, 'none'>,
  headers: IncomingHttpHeaders,
): Caller {
  const holder = sessions === undefined ? undefined : sessionHolderOf(sessions, headers);
  if (holder === undefined) throw fault('unauthenticated');
  const { principal, organizationId, organization, project, session } = holder;
  const caller = { principal, organizationId, consoleSession: session };
  if (credential === 'console-session') return caller;
  if (credential === 'session') {
    const projectId = project?.access.projectId ?? '';
    return { ...caller, session: { principal, user: session.user, projectId, organizationId } };
  }
  if (credential === 'access-token') {
    if (organization === undefined) throw forbidden('admin::organization::read');
    return { ...caller, organization };
  }
  if (project === undefined) throw forbidden('admin::project::read');
  return { ...caller, project };
}

async function byAccessToken({ tokens }: Authenticators, headers: IncomingHttpHeaders): Promise<Caller> {
  const token = bearerOf(headers);
  const organization = token === undefined ? undefined : await tokens.accessOf(token);
  if (organization === undefined) throw fault('unauthenticated');
  const { principal, organizationId } = organization;
  return { principal, organizationId, organization };
}

async function bySession(authenticators: Authenticators, headers: IncomingHttpHeaders): Promise<Caller> {
  const token = bearerOf(headers);
  if (token === undefined) {
    const caller = byKey(authenticators, apiKeyOf(headers));
    return caller.project === undefined ? caller : { ...caller, session: sessionOfKey(caller.project) };
  }
  const session = await authenticators.tokens.sessionOf(token);
  if (session === undefined) throw fault('unauthenticated');
  const { principal, organizationId } = session;
  return { principal, organizationId, session };
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  const [, token] = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '') ?? [];
  return token;
}
