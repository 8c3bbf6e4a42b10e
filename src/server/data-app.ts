// The application on index addresses: finds the index, reads the raw body and passes both to the engine.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { masking } from '../domain/administration/authorize.ts';
import { fault } from '../domain/faults.ts';
import type { IndexDirectory } from '../domain/index-lifecycle.ts';
import { type Index, isReady } from '../domain/index-model.ts';
import { EXPLAIN_HEADER } from '../surfaces/data/explain.ts';
import type { EndpointFacts, QueryValues } from '../surfaces/endpoint.ts';
import type { VectorEngine } from '../vectors/engine.ts';
import { readmit } from './admission.ts';
import { type AppContext, createApp, mayHaveBody } from './app.ts';
import type { ByteLease } from './byte-budget.ts';
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
          const body = mayHaveBody(request) ? await bodyOf(request, context, lease) : [];
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
            explain: request.headers[EXPLAIN_HEADER] === 'true',
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

/** The caller is let in again once the body is there. @throws as readBodyPieces and readmit */
async function bodyOf(
  request: FastifyRequest,
  { authenticators }: AppContext,
  lease: ByteLease,
): Promise<readonly Uint8Array[]> {
  const body = await readBodyPieces(request.raw, { bytesMax: DATA_BODY_BYTES_MAX, lease });
  await readmit(authenticators, request);
  return body;
}

/** Another project's index, one that is going and none at all look the same to the caller. */
function visibleIndex(request: FastifyRequest, index: Index | undefined): Index {
  const missing = fault('unknown-host', { host: request.host });
  if (index === undefined || index.state === 'Terminating') throw missing;
  if (index.projectId !== request.access?.projectId) {
    throw masking(missing, 'control_plane::indexes::describe');
  }
  if (!isReady(index.state)) throw fault('index-not-ready', { name: index.name });
  return index;
}
