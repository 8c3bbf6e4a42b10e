// The application on index addresses: finds the index, reads the raw body and passes both to the engine.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DataAnswer } from '../api/data-request.ts';
import type { DataRoute } from '../api/endpoint.ts';
import { EXPLAIN_HEADER } from '../api/rest/records/explain.ts';
import { RECALL_HEADER } from '../api/rest/records/recall-target.ts';
import { fault } from '../domain/faults.ts';
import type { Inference } from '../domain/inference/port.ts';
import { readmit } from './access/admission.ts';
import { createApp, mayHaveBody } from './app.ts';
import type { ByteLease } from './bodies/byte-budget.ts';
import { bodyPieces } from './bodies/read-body.ts';
import { clientGoneSignal } from './client-gone.ts';
import {
  admittedPieces,
  DATA_BODY_BYTES_MAX,
  type DataServing,
  execute,
  leased,
  visibleIndex,
} from './data-requests.ts';
import { addBulkRoutes, type BulkServing } from './routes/bulk-routes.ts';
import { routerPath } from './routes/endpoint-paths.ts';
import { urlFields } from './routes/request-fields.ts';

export interface DataAppOptions extends DataServing {
  readonly endpoints: readonly DataRoute[];
  readonly bulk?: BulkServing | undefined;
  /** For endpoints with a part on this thread. */
  readonly inference: Inference;
}

export function createDataApp({ endpoints, bulk, inference, ...serving }: DataAppOptions): FastifyInstance {
  const { context, indexAt } = serving;
  const app = createApp(context, {
    addresses: [...endpoints, ...(bulk?.endpoints ?? [])],
    admit: (request) => {
      request.index = visibleIndex(request, serving);
    },
  });
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { endpoint },
      handler: async (request, reply) => {
        const answer = await leased(context, reply, (lease) => answerTo({ endpoint, request, reply, lease }));
        reply.code(answer.status).headers(answer.headers);
        const { body } = answer;
        return typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      },
    });
  }
  if (bulk !== undefined) addBulkRoutes({ app, context, indexAt, ...bulk });
  return app;

  async function answerTo({ endpoint, request, reply, lease }: DataRequest): Promise<DataAnswer> {
    const { index } = request;
    // The steps before guarantee this; checked again because access control depends on it.
    if (index === null) throw fault('unauthenticated');
    const { params, query } = urlFields(request);
    const recall = request.headers[RECALL_HEADER];
    const run = (body: readonly Uint8Array[]): Promise<DataAnswer> =>
      execute(
        serving,
        { request, reply },
        {
          endpointId: endpoint.id,
          params,
          query,
          body,
          explain: request.headers[EXPLAIN_HEADER] === 'true',
          ...(typeof recall === 'string' && { recall }),
        },
      );
    const bounds = { bytesMax: DATA_BODY_BYTES_MAX, lease };
    const { preprocess } = endpoint;
    if (preprocess === undefined) {
      return mayHaveBody(request) ? admittedPieces(context, request, bounds).then(run) : run([]);
    }
    const body = mayHaveBody(request) ? admittedBody(request, lease) : noBody();
    return preprocess({ index, params, body, inference, signal: clientGoneSignal(reply), run });
  }

  /** The body as received; after its end the caller is checked again. @throws as bodyPieces and readmit */
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
