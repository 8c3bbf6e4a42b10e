// Routes of imports, exports, namespace aliases, maps and judgment sets: on index addresses, with a JSON body, served on
// this thread.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DataAnswer } from '../../api/data-request.ts';
import type { BulkEndpoint, BulkServices, InnerSearch } from '../../api/rest/import-export/bulk-endpoint.ts';
import { refusesMoment } from '../../api/rest/records/as-of.ts';
import { fault } from '../../domain/faults.ts';
import { type Index, isReady } from '../../domain/index-model.ts';
import { mayInProject, readmit } from '../access/admission.ts';
import type { AppContext } from '../app.ts';
import { NOTHING_HELD } from '../bodies/byte-budget.ts';
import { parseJsonLines } from '../bodies/json-body.ts';
import { mayHaveBody } from '../bodies/may-have-body.ts';
import { bodyPieces } from '../bodies/read-body.ts';
import { clientGoneSignal } from '../client-gone.ts';
import { pastOf } from '../data-requests.ts';
import { readBytes, readJson, sendAny } from './base-routes.ts';
import { routerPath } from './endpoint-paths.ts';
import { urlFields } from './request-fields.ts';

export interface BulkServing {
  readonly endpoints: readonly BulkEndpoint[];
  readonly services: BulkServices;
}

export interface BulkRouteParts extends BulkServing {
  readonly app: FastifyInstance;
  readonly context: AppContext;
  /** The index as it is now; undefined once it is deleted. */
  readonly indexAt: (request: FastifyRequest) => Index | undefined;
  /** Runs a search that an endpoint makes for the caller of its request. */
  readonly search: (exchange: BulkExchange, search: InnerSearch) => Promise<DataAnswer>;
}

/** A request and what answers it. */
export interface BulkExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborts when the client disconnects before its answer. */
  readonly signal: AbortSignal;
}

export function addBulkRoutes(parts: BulkRouteParts): void {
  const { app, context, endpoints, services } = parts;
  for (const endpoint of endpoints) {
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      config: { endpoint, refusesMoment: refusesMoment(endpoint) },
      handler: async (request, reply) => {
        const isFile = endpoint.fileBytesMax !== undefined;
        const body = isFile ? undefined : await readBulkBody(request, endpoint, context);
        const { access } = request;
        // The steps before guarantee this; checked again because access control depends on it.
        if (access === null) throw fault('unauthenticated');
        const index = currentIndex(parts, request);
        const signal = clientGoneSignal(reply);
        const answer = await endpoint.handle({
          access,
          mayNow: async (permission) => {
            await readmitToIndex(parts, request);
            return mayInProject(context.authenticators, request, permission);
          },
          index,
          version: request.version,
          ...urlFields(request),
          body,
          content: fileContent(parts, request, endpoint),
          services,
          search: (search) => parts.search({ request, reply, signal }, search),
          signal,
          ...pastOf(request),
        });
        return sendAny(reply, answer, context);
      },
    });
  }
}

/** The index may have been deleted while the body was read. @throws unknown-host */
export function currentIndex({ indexAt }: Pick<BulkRouteParts, 'indexAt'>, request: FastifyRequest): Index {
  const index = indexAt(request);
  if (request.index === null || index?.id !== request.index.id || !isReady(index.state)) {
    throw fault('unknown-host', { host: request.host });
  }
  return index;
}

/**
 * Checks once more what may have changed while a request was served: its caller and its index.
 * @throws as readmit and currentIndex
 */
export async function readmitToIndex(
  { context, indexAt }: Pick<BulkRouteParts, 'context' | 'indexAt'>,
  request: FastifyRequest,
): Promise<void> {
  await readmit(context.authenticators, request);
  currentIndex({ indexAt }, request);
}

const FORM_TYPE = /^multipart\//i;

/** A file as received. It counts for quotas of writes piece by piece, and is refused for them before it begins or never. */
async function* fileContent(
  parts: BulkRouteParts,
  request: FastifyRequest,
  { id: endpointId, fileBytesMax: bytesMax = 0 }: BulkEndpoint,
): AsyncGenerator<Uint8Array> {
  const type = request.headers['content-type'] ?? '';
  if (FORM_TYPE.test(type)) throw fault('unsupported-media-type', { type });
  const { access } = request;
  if (access === null) throw fault('unauthenticated');
  const { admitBody } = parts.context;
  await admitBody?.({ endpointId, access, bytes: 0 });
  if (mayHaveBody(request))
    for await (const piece of bodyPieces(request.raw, { bytesMax, lease: NOTHING_HELD })) {
      await admitBody?.({ endpointId, access, bytes: piece.byteLength, isBegun: true });
      yield piece;
    }
  await readmitToIndex(parts, request);
}

const LINES_TYPE = /^application\/(x-)?(ndjson|jsonl)\s*(;|$)/i;

/** @throws as readJson; body-not-json for a line that is no JSON */
async function readBulkBody(
  request: FastifyRequest,
  { bodyBounds, takesLines = false }: BulkEndpoint,
  context: AppContext,
): Promise<unknown> {
  const { bytesMax, structuresMax } = bodyBounds ?? {};
  const bounds = {
    ...context,
    ...(bytesMax !== undefined && { bodyBytesMax: bytesMax }),
    ...(structuresMax !== undefined && { structuresMax }),
  };
  const areLines = takesLines && LINES_TYPE.test(request.headers['content-type'] ?? '');
  if (!areLines || !mayHaveBody(request)) return (await readJson(request, bounds)).value;
  return parseJsonLines(await readBytes(request, bounds), structuresMax);
}
