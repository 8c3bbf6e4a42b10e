// Routes of the console's sessions: they set, check and remove the cookie.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  ConsoleCall,
  ConsoleEndpoint,
  ConsoleServices,
} from '../../api/rest/console/console-endpoint.ts';
import type { ConsoleSessions } from '../../app/access/console-sessions.ts';
import { invalid } from '../../domain/faults.ts';
import { isJsonObject } from '../../domain/json.ts';
import { hostOf } from '../access/console-caller.ts';
import { isSecure, presentedCookie, removedCookie, sessionCookie } from '../access/session-cookie.ts';
import { ByteBudget } from '../bodies/byte-budget.ts';
import { type BodyContext, type RouteParts, readJson, send } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';

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
        return send(reply, await endpoint.handle({ session, fields, services, ...browser }));
      },
    });
  }
}

/** @throws invalid-argument, and as readJson */
async function readFields(request: FastifyRequest, context: BodyContext): Promise<ConsoleCall['fields']> {
  const { value } = await readJson(request, context);
  if (!isJsonObject(value)) throw invalid('The request body must be a JSON object');
  return value;
}

function browserOf(
  sessions: ConsoleSessions,
  { headers, protocol }: FastifyRequest,
  reply: FastifyReply,
): Pick<ConsoleCall, 'open' | 'end'> {
  const host = hostOf(headers);
  const secure = isSecure(protocol, headers);
  const endPresent = () => {
    const present = presentedCookie(headers, host);
    if (present !== undefined) sessions.end(present);
  };
  return {
    open: ({ principal, organizationId }) => {
      endPresent();
      // Always a new cookie: one that somebody else has set beforehand never becomes a session.
      const secrets = sessions.open(principal, organizationId, host);
      const holder = sessions.find(secrets, host);
      if (holder === undefined) return undefined;
      reply.header('set-cookie', sessionCookie(secrets.cookie, host, secure));
      return { token: secrets.token, session: holder.session };
    },
    end: () => {
      endPresent();
      reply.header('set-cookie', removedCookie(host, secure));
    },
  };
}
