// The application on index addresses: finds the index, reads the raw body and passes both to the engine.
import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DataAnswer } from '../api/data-request.ts';
import type { DataRoute } from '../api/endpoint.ts';
import { requestNamespaces } from '../api/request-namespaces.ts';
import type { InnerSearch } from '../api/rest/import-export/bulk-endpoint.ts';
import { refusesMoment } from '../api/rest/records/as-of.ts';
import { EXPLAIN_HEADER } from '../api/rest/records/explain.ts';
import { servedNamespace } from '../domain/aliases/alias-names.ts';
import type { ComparedQuery } from '../domain/embedding/model-change-service.ts';
import type { Index } from '../domain/index-model.ts';
import type { Inference } from '../domain/inference/port.ts';
import { BYTES_FROM_LENGTH } from '../domain/records/answer-text.ts';
import { namespaceToStored } from '../domain/records/record-id.ts';
import { createApp } from './app.ts';
import type { ByteLease } from './bodies/byte-budget.ts';
import { mayHaveBody } from './bodies/may-have-body.ts';
import { bodyPieces } from './bodies/read-body.ts';
import { clientGoneSignal } from './client-gone.ts';
import {
  admitBody,
  admitted,
  admittedPieces,
  DATA_BODY_BYTES_MAX,
  type DataServing,
  execute,
  leased,
  pastOf,
  recallOf,
  visibleIndex,
} from './data-requests.ts';
import { refusalIn } from './refusal.ts';
import { RequestCount } from './request-count.ts';
import { addBulkRoutes, type BulkExchange, type BulkServing, readmitToIndex } from './routes/bulk-routes.ts';
import { routerPath } from './routes/endpoint-paths.ts';
import { urlFields } from './routes/request-fields.ts';

/** Remembers the queries by text of each index. */
export interface QueryLog {
  note(indexId: string, query: ComparedQuery): void;
}

export interface DataAppOptions extends DataServing {
  readonly endpoints: readonly DataRoute[];
  readonly bulk?: BulkServing | undefined;
  /** Remembers queries by text; by default nothing does. */
  readonly queries?: QueryLog | undefined;
  /** For endpoints with a part on this thread. */
  readonly inference: Inference;
}

export function createDataApp({ endpoints, bulk, inference, ...serving }: DataAppOptions): FastifyInstance {
  const { context, indexAt } = serving;
  const app = createApp(context, {
    addresses: [...endpoints, ...(bulk?.endpoints ?? [])],
    isAtIndex: true,
    admit: (request) => {
      request.index = visibleIndex(request, serving);
    },
  });
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { endpoint, refusesMoment: refusesMoment(endpoint) },
      handler: async (request, reply) => {
        const count = new RequestCount(serving, request, endpoint.id);
        const answer = await count.of(() =>
          leased(context, reply, (lease) => answerTo({ endpoint, request, reply, count, lease })),
        );
        request.refusal = refusalIn(answer);
        reply.code(answer.status).headers(answer.headers);
        const { body } = answer;
        if (typeof body === 'string') return body;
        freeOnceSent(reply, body);
        return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      },
    });
  }
  if (bulk !== undefined) addBulkRoutes({ app, context, indexAt, search: runSearch, ...bulk });
  return app;

  async function answerTo({ endpoint, request, reply, count, lease }: DataRequest): Promise<DataAnswer> {
    const { params, query } = urlFields(request);
    const { preprocess, id: endpointId } = endpoint;
    const run = (body: readonly Uint8Array[]): Promise<DataAnswer> =>
      execute(
        serving,
        { request, reply, count },
        {
          endpointId,
          params,
          query,
          body,
          explain: request.headers[EXPLAIN_HEADER] === 'true',
          ...recallOf(request),
        },
      );
    const bounds = { bytesMax: DATA_BODY_BYTES_MAX, lease };
    if (preprocess === undefined) {
      const reading = mayHaveBody(request) ? admittedPieces(context, request, bounds) : Promise.resolve([]);
      const pieces = await count.read(reading);
      return admitted(serving, request, { endpointId, work: () => run(pieces) });
    }
    const body = count.body(mayHaveBody(request) ? admittedBody(request, lease) : noBody());
    const signal = clientGoneSignal(reply);
    const work = (index: Index) => {
      const noteQuery = (text: string) => noteText(serving, index, { namespace: params.namespace, text });
      const namespaces = requestNamespaces(serving.aliases.shared(index.id), endpoint.aliasRefusal);
      const models = count.models(inference);
      const call = { index, params, namespaces, body, inference: models, signal, run, noteQuery };
      return preprocess({ ...call, ...pastOf(request) });
    };
    return admitted(serving, request, { endpointId, work });
  }

  /** Runs a search for a request that has been admitted, as a request of its own would be: it counts for quotas, too. */
  async function runSearch(exchange: BulkExchange, search: InnerSearch): Promise<DataAnswer> {
    const { request, signal } = exchange;
    const { endpointId, params, body } = search;
    const endpoint = endpoints.find(({ id }) => id === endpointId);
    const { access, index } = request;
    if (endpoint === undefined || access === null || index === null)
      throw new Error(`no search ${endpointId}`);
    await context.awaitRequest?.(access, signal);
    // The searches before it, and the wait, may have taken minutes.
    await readmitToIndex(serving, request);
    const lease = context.bodies.lease(request.access);
    const bytes = Buffer.from(JSON.stringify(body));
    const count = new RequestCount(serving, request, endpointId);
    const run = (pieces: readonly Uint8Array[]): Promise<DataAnswer> =>
      execute(
        serving,
        { ...exchange, count },
        { endpointId, params, query: {}, body: pieces, explain: false },
      );
    const work = async () => {
      lease.take(bytes.byteLength);
      const { preprocess } = endpoint;
      if (preprocess === undefined) return run([bytes]);
      const namespaces = requestNamespaces(serving.aliases.shared(index.id), endpoint.aliasRefusal);
      const models = count.models(inference);
      const call = { index, params, namespaces, body: onePiece(bytes), inference: models, signal, run };
      return preprocess({ ...call, ...pastOf(request) });
    };
    try {
      return await count.of(work);
    } finally {
      lease.end();
    }
  }

  /** The body as received; after its end the caller is checked again. @throws as bodyPieces and admitBody */
  async function* admittedBody(request: FastifyRequest, lease: ByteLease): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const piece of bodyPieces(request.raw, { bytesMax: DATA_BODY_BYTES_MAX, lease })) {
      bytes += piece.byteLength;
      yield piece;
    }
    await admitBody(context, request, bytes);
  }
}

/**
 * Frees a large body once the system has taken all of it. Left to V8, megabytes of sent bodies would make it scan all
 * objects of the main thread to find that they are garbage. A body that is not sent whole, is left to it.
 */
function freeOnceSent({ raw }: FastifyReply, { buffer, length }: Uint8Array): void {
  // Streams of HTTP/2 report their end before their session has written all, and connections in memory before their other
  // end has read anything.
  const isOnSocket = raw instanceof ServerResponse && raw.socket instanceof Socket;
  if (isOnSocket && length >= BYTES_FROM_LENGTH && buffer instanceof ArrayBuffer)
    raw.once('finish', () => buffer.transfer(0));
}

/** Remembers a query by text, whose namespace may be an alias. */
function noteText(
  { queries, aliases }: Pick<DataAppOptions, 'queries' | 'aliases'>,
  { id }: Index,
  { namespace, text }: { readonly namespace: string | undefined; readonly text: string },
): void {
  if (queries === undefined) return;
  queries.note(id, { namespace: servedNamespace(aliases.shared(id), namespaceToStored(namespace)), text });
}

interface DataRequest {
  readonly endpoint: DataRoute;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly count: RequestCount;
  readonly lease: ByteLease;
}

async function* noBody(): AsyncGenerator<Uint8Array> {}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
