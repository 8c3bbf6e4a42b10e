// The application on the base address: control plane endpoints, health, and the interface's description.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fault } from '../domain/faults.ts';
import { CONTROL_REQUEST_BYTES_MAX } from '../domain/limits.ts';
import type { ControlEndpoint, ControlServices, QueryValues, Reply } from '../surfaces/endpoint.ts';
import { type AppContext, createApp, mayHaveBody } from './app.ts';
import type { ByteBudget } from './byte-budget.ts';
import { routerPath } from './endpoint-paths.ts';
import { isJsonType, type JsonBody, parseJsonBody } from './json-body.ts';
import { readBody } from './read-body.ts';

const NO_BODY: JsonBody = { value: undefined, text: '' };

export interface ControlAppOptions {
  readonly context: AppContext;
  readonly endpoints: readonly ControlEndpoint[];
  readonly services: ControlServices;
  /** Adds the routes that describe the interface. */
  readonly describe: (app: FastifyInstance) => void;
}

export function createControlApp({
  context,
  endpoints,
  services,
  describe,
}: ControlAppOptions): FastifyInstance {
  const app = createApp(context, { addresses: endpoints });
  describe(app);
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { endpoint },
      handler: async (request, reply) => {
        // Unreachable without the authentication step; said again because everything hangs on it.
        if (request.access === null) throw fault('unauthenticated');
        const body = mayHaveBody(request) ? await readJson(request, context.bodies) : NO_BODY;
        const answer = await endpoint.handle({
          access: request.access,
          version: request.version,
          params: request.params as Readonly<Record<string, string>>,
          query: request.query as QueryValues,
          body: body.value,
          bodyText: body.text,
          services,
        });
        return send(reply, answer);
      },
    });
  }
  return app;
}

async function readJson(request: FastifyRequest, bodies: ByteBudget): Promise<JsonBody> {
  const type = request.headers['content-type'];
  if (!isJsonType(type)) throw fault('unsupported-media-type', { type: type ?? '' });
  const lease = bodies.lease();
  try {
    return parseJsonBody(await readBody(request.raw, { bytesMax: CONTROL_REQUEST_BYTES_MAX, lease }));
  } finally {
    lease.end();
  }
}

function send(reply: FastifyReply, { status, headers, jsonText, body }: Reply): FastifyReply {
  const text = jsonText ?? (body === undefined ? undefined : JSON.stringify(body));
  if (text !== undefined) reply.type('application/json; charset=utf-8');
  return reply
    .code(status)
    .headers(headers ?? {})
    .send(text);
}
