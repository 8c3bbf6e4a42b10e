// The application on index addresses: finds the index, reads the raw body and passes both to the engine.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { masking } from '../domain/administration/authorize.ts';
import { fault } from '../domain/faults.ts';
import type { IndexDirectory } from '../domain/index-lifecycle.ts';
import { type Index, isReady } from '../domain/index-model.ts';
import type { Inference } from '../domain/inference/port.ts';
import { EXPLAIN_HEADER } from '../surfaces/data/explain.ts';
import type { DataRoute, QueryValues } from '../surfaces/endpoint.ts';
import type { EngineReply, VectorEngine } from '../vectors/engine.ts';
import { readmit } from './admission.ts';
import { type AppContext, createApp, mayHaveBody } from './app.ts';
import { addBulkRoutes, type BulkServing } from './bulk-routes.ts';
import type { ByteLease } from './byte-budget.ts';
import { routerPath } from './endpoint-paths.ts';
import { leavingOf } from './leaving.ts';
import { bodyPieces, readPieces } from './read-body.ts';

/**
 * Bound before anything looks at a body. The limit by content is half of it and answered by the
 * endpoints, so that a request slightly too big gets their message.
 */
export const DATA_BODY_BYTES_MAX = 4 * 1024 * 1024;

export interface DataAppOptions {
  readonly context: AppContext;
  readonly endpoints: readonly DataRoute[];
  readonly bulk?: BulkServing | undefined;
  readonly engine: Pick<VectorEngine, 'run'>;
  readonly directory: Pick<IndexDirectory, 'profile'>;
  /** For endpoints with a part on this thread. */
  readonly inference: Inference;
  /** The index that a request's port or host name stands for, whosever it is. */
  readonly indexAt: (request: FastifyRequest['raw']) => Index | undefined;
}

export function createDataApp({
  context,
  endpoints,
  bulk,
  engine,
  directory,
  inference,
  indexAt,
}: DataAppOptions): FastifyInstance {
  const app = createApp(context, {
    addresses: [...endpoints, ...(bulk?.endpoints ?? [])],
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
        const lease = context.bodies.lease();
        try {
          const answer = await answerTo({ endpoint, request, reply, lease });
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
  if (bulk !== undefined) addBulkRoutes({ app, context, indexAt, ...bulk });
  return app;

  function answerTo({ endpoint, request, reply, lease }: DataRequest): Promise<EngineReply> {
    const { access, index, version } = request;
    // Unreachable without the steps before; said again because everything hangs on them.
    if (access === null || index === null) throw fault('unauthenticated');
    const params = request.params as Readonly<Record<string, string>>;
    const run = (body: readonly Uint8Array[]): Promise<EngineReply> => {
      // Reading the body took time, in which the index may have gone.
      const profile = directory.profile(index.id);
      if (profile === undefined) throw fault('unknown-host', { host: request.host });
      return engine.run({
        endpointId: endpoint.id,
        access,
        version,
        index: profile,
        params,
        query: request.query as QueryValues,
        body,
        requestId: request.id,
        explain: request.headers[EXPLAIN_HEADER] === 'true',
      });
    };
    const { front } = endpoint;
    if (front === undefined) return mayHaveBody(request) ? wholeBody(request, lease).then(run) : run([]);
    const body = mayHaveBody(request) ? admittedBody(request, lease) : noBody();
    return front({ index, params, body, inference, signal: leavingOf(reply), run });
  }

  /** @throws as admittedBody */
  async function wholeBody(request: FastifyRequest, lease: ByteLease): Promise<readonly Uint8Array[]> {
    const pieces = await readPieces(request.raw, { bytesMax: DATA_BODY_BYTES_MAX, lease });
    await readmit(context.authenticators, request);
    return pieces;
  }

  /** The body as it comes in; at its end the caller is let in again. @throws as bodyPieces and readmit */
  async function* admittedBody(request: FastifyRequest, lease: ByteLease): AsyncGenerator<Uint8Array> {
    yield* bodyPieces(request.raw, { bytesMax: DATA_BODY_BYTES_MAX, lease });
    await readmit(context.authenticators, request);
  }
}

interface DataRequest {
  readonly endpoint: DataRoute;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly lease: ByteLease;
}

async function* noBody(): AsyncGenerator<Uint8Array> {}

/** Another project's index, one that is going and none at all look the same to the caller. */
function visibleIndex(request: FastifyRequest, index: Index | undefined): Index {
  // Not made beforehand: an error costs every request as much as its authentication.
  const missing = () => fault('unknown-host', { host: request.host });
  if (index === undefined || index.state === 'Terminating') throw missing();
  if (index.projectId !== request.access?.projectId) {
    throw masking(missing(), 'control_plane::indexes::describe');
  }
  if (!isReady(index.state)) throw fault('index-not-ready', { name: index.name });
  return index;
}
