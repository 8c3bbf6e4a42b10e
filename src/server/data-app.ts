// The application on index addresses: finds the index, reads the raw body and passes both to the engine.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fault } from '../domain/faults.ts';
import type { IndexDirectory } from '../domain/index-lifecycle.ts';
import { type Index, isReady } from '../domain/index-model.ts';
import type { EndpointFacts, QueryValues } from '../surfaces/endpoint.ts';
import type { VectorEngine } from '../vectors/engine.ts';
import { type AppContext, createApp, mayHaveBody } from './app.ts';
import { routerPath } from './endpoint-paths.ts';
import { readBodyPieces } from './read-body.ts';

/**
 * Bound before anything looks at a body. The limit by content is half of it and answered by the
 * endpoints, so that a request slightly too big gets their message.
 */
export const DATA_BODY_BYTES_MAX = 4 * 1024 * 1024;

export interface DataAppOptions {
  readonly context: AppContext;
  readonly endpoints: readonly EndpointFacts[];
  readonly engine: Pick<VectorEngine, 'run'>;
  readonly directory: Pick<IndexDirectory, 'profile'>;
  /** The index that a request's port or host name stands for, whosever it is. */
  readonly indexAt: (request: FastifyRequest['raw']) => Index | undefined;
}

export function createDataApp({
  context,
  endpoints,
  engine,
  directory,
  indexAt,
}: DataAppOptions): FastifyInstance {
  const app = createApp(context, {
    addresses: endpoints,
    admit: (request) => {
      request.index = visibleIndex(request, indexAt(request.raw));
    },
  });
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { endpoint },
      handler: async (request, reply) => {
        const { access } = request;
        // Unreachable without the step before; said again because everything hangs on it.
        if (access === null) throw fault('unauthenticated');
        const lease = context.bodies.lease();
        try {
          const bounds = { bytesMax: DATA_BODY_BYTES_MAX, lease };
          const body = mayHaveBody(request) ? await readBodyPieces(request.raw, bounds) : [];
          // Reading the body took time, in which the index may have gone.
          const index = request.index === null ? undefined : directory.profile(request.index.id);
          if (index === undefined) throw fault('unknown-host', { host: request.host });
          const answer = await engine.run({
            endpointId: endpoint.id,
            access,
            version: request.version,
            index,
            params: request.params as Readonly<Record<string, string>>,
            query: request.query as QueryValues,
            body,
            requestId: request.id,
          });
          lease.end();
          lease.take(answer.body.length);
          return reply.code(answer.status).headers(answer.headers).send(answer.body);
        } finally {
          // The answer is held until the client has taken it, or has gone.
          if (reply.raw.closed) lease.end();
          else reply.raw.once('close', lease.end);
        }
      },
    });
  }
  return app;
}

/** Another project's index, one that is going and none at all look the same to the caller. */
function visibleIndex(request: FastifyRequest, index: Index | undefined): Index {
  if (index === undefined || index.projectId !== request.access?.projectId || index.state === 'Terminating') {
    throw fault('unknown-host', { host: request.host });
  }
  if (!isReady(index.state)) throw fault('index-not-ready', { name: index.name });
  return index;
}
