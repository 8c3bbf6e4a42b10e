// Routes of the console's sessions: they set, check and remove the cookie.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  ConsoleCall,
  ConsoleEndpoint,
  ConsoleServices,
  OwnSessions,
} from '../../api/rest/console/console-endpoint.ts';
import type { ConsoleSessions } from '../../app/access/console-sessions.ts';
import { hostOf, sessionHolderOf } from '../access/console-caller.ts';
import {
  isSecure,
  pendingCookie,
  presentedCookie,
  presentedPending,
  removedCookie,
  sessionCookie,
} from '../access/session-cookie.ts';
import { ByteBudget } from '../bodies/byte-budget.ts';
import { type BodyContext, type RouteParts, readJson, send } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { bodyFields, urlFields } from './request-fields.ts';

/** A key or a password: a few kilobytes at most. */
const BODY_BYTES_MAX = 16 * 1024;
/** All bodies of unauthenticated callers together. They must not take memory from authenticated ones. */
const BODIES_BYTES_MAX = 8 * 2 ** 20;

export type ConsoleRouteParts = RouteParts<ConsoleEndpoint, ConsoleServices> & {
  readonly sessions: ConsoleSessions;
};

export function addConsoleRoutes(parts: ConsoleRouteParts): void {
  const { app, endpoints, services, sessions } = parts;
  const context: BodyContext = {
    authenticators: parts.context.authenticators,
    bodies: new ByteBudget(BODIES_BYTES_MAX),
    bodyBytesMax: BODY_BYTES_MAX,
  };
  for (const endpoint of endpoints) {
    const { credential, versioning } = endpoint;
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { credential, versioning: versioning ?? 'ignored', endpoint },
      handler: async (request, reply) => {
        const fields = endpoint.body === undefined ? {} : await readFields(request, context);
        const session = request.caller?.consoleSession ?? null;
        const browser = browserOf(sessions, request, reply);
        const { params, search } = addressOf(request);
        const call = { session, fields, params, search, services, ...browser };
        const answer = await endpoint.handle(call);
        await sessions.saved();
        return send(reply, answer);
      },
    });
  }
}

/** @throws invalid-argument, and as readJson */
async function readFields(request: FastifyRequest, context: BodyContext): Promise<ConsoleCall['fields']> {
  const { value } = await readJson(request, context);
  return bodyFields(value);
}

function addressOf(request: FastifyRequest): Pick<ConsoleCall, 'params' | 'search'> {
  const { url } = request;
  const at = url.indexOf('?');
  return { params: urlFields(request).params, search: at < 0 ? '' : url.slice(at + 1) };
}

type Browser = Omit<ConsoleCall, 'session' | 'fields' | 'services' | 'params' | 'search'>;

function browserOf(sessions: ConsoleSessions, request: FastifyRequest, reply: FastifyReply): Browser {
  const { headers, protocol } = request;
  const host = hostOf(headers);
  const secure = isSecure(protocol, headers);
  const cookies: string[] = [];
  const setCookie = (cookie: string) => {
    cookies.push(cookie);
    reply.header('set-cookie', cookies.length === 1 ? cookie : cookies);
  };
  const endPresent = () => {
    const present = presentedCookie(headers, host);
    return present === undefined ? undefined : sessions.end(present);
  };
  return {
    host,
    requestId: request.id,
    address: request.ip,
    open: (holder) => {
      endPresent();
      // Always a new cookie: one that somebody else has set beforehand never becomes a session.
      const secrets = sessions.open(holder, host);
      const opened = sessions.find(secrets, host);
      if (opened === undefined) return undefined;
      setCookie(sessionCookie(secrets.cookie, host, secure));
      return { token: secrets.token, session: opened.session };
    },
    end: () => {
      const ended = endPresent();
      setCookie(removedCookie(host, secure));
      return ended;
    },
    own: ownSessions(sessions, request, presentedCookie(headers, host)),
    setPending: ({ id, ...content }) => setCookie(pendingCookie(id, content, { host, secure })),
    takePending: (id) => {
      const place = { host, secure };
      setCookie(pendingCookie(id, { value: '', seconds: 0 }, place));
      return presentedPending(headers, id, place);
    },
    present: () => sessionHolderOf(sessions, headers) ?? null,
  };
}

function ownSessions(
  sessions: ConsoleSessions,
  { caller }: FastifyRequest,
  cookie: string | undefined,
): OwnSessions {
  if (caller === null) return { list: () => [], endOne: () => false, endAll: () => undefined };
  const { principal, organizationId } = caller;
  return {
    list: () => sessions.of(principal, organizationId, cookie),
    endOne: (id) => sessions.endOne(principal, organizationId, id),
    endAll: () => sessions.endAll(principal, organizationId),
  };
}
