// Routes of the identity API: bodies in JSON or as a form, and a credential only where the endpoint requires one.

import type { FastifyRequest } from 'fastify';
import type {
  IdentityCall,
  IdentityEndpoint,
  IdentityServices,
} from '../../api/rest/identity/identity-endpoint.ts';
import { invalid } from '../../domain/faults.ts';
import { ByteBudget } from '../bodies/byte-budget.ts';
import { type BodyContext, type RouteParts, readBytes, readJson, send } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { bodyFields, urlFields } from './request-fields.ts';

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Ids, secrets and a name: a few kilobytes at most. */
const OPEN_BODY_BYTES_MAX = 16 * 1024;
/** All bodies of unauthenticated callers together. They must not take memory from authenticated ones. */
const OPEN_BODIES_BYTES_MAX = 8 * 2 ** 20;

export function addIdentityRoutes(parts: RouteParts<IdentityEndpoint, IdentityServices>): void {
  const { app, endpoints, services } = parts;
  const context: BodyContext = {
    authenticators: parts.context.authenticators,
    bodies: new ByteBudget(OPEN_BODIES_BYTES_MAX),
    bodyBytesMax: OPEN_BODY_BYTES_MAX,
  };
  for (const endpoint of endpoints) {
    const { credential, versioning } = endpoint;
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { credential, versioning, endpoint },
      handler: async (request, reply) => {
        const isForm = endpoint.forms && FORM_TYPE.test(request.headers['content-type'] ?? '');
        const fields = isForm ? await readForm(request, context) : await readFields(request, context);
        const answer = await endpoint.handle({
          session: request.caller?.session ?? null,
          requestId: request.id,
          address: request.ip,
          query: urlFields(request).query,
          fields,
          isForm,
          services,
        });
        return send(reply, answer);
      },
    });
  }
}

async function readFields(request: FastifyRequest, context: BodyContext): Promise<IdentityCall['fields']> {
  const { value } = await readJson(request, context);
  return value === undefined ? {} : bodyFields(value);
}

/** Refuses a duplicate field, because it is ambiguous. @throws invalid-argument */
async function readForm(request: FastifyRequest, context: BodyContext): Promise<IdentityCall['fields']> {
  const form = new URLSearchParams(Buffer.from(await readBytes(request, context)).toString());
  const fields = new Map<string, string>();
  for (const [name, value] of form) {
    if (fields.has(name)) throw invalid('The form gives a field twice');
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}
