// The application for other nodes: the copies that they make here when an index is moved. Nobody else finds its paths.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CopyRef, ReceivedCopies } from '../../app/nodes/received-copies.ts';
import { fault } from '../../domain/faults.ts';
import type { IndexSize } from '../../domain/index-model.ts';
import type { CopyStep } from '../../domain/nodes/moves.ts';
import { type AppContext, createApp } from '../app.ts';
import { readBody } from '../bodies/read-body.ts';
import type { AnyRequest } from '../connections/protocol-handlers.ts';
import { urlFields } from '../routes/request-fields.ts';
import type { OfferedExports } from './offered-exports.ts';

const PREFIX = '/node/';
/** A batch of records, whose last one may have passed the bound of the batch. */
const BATCH_BYTES_MAX = 32 * 2 ** 20;
const COPY = '/node/copies/:index_id/:storage_id';
const OPEN = { config: { open: true, versioning: 'ignored' } } as const;

export interface NodeServing {
  readonly copies: ReceivedCopies;
  readonly exports: OfferedExports;
  /** Of an index that this node has; null for others. */
  readonly sizeOf: (indexId: string) => Promise<IndexSize | null>;
}

export function isForNodes({ url }: Pick<AnyRequest, 'url'>): boolean {
  return url?.startsWith(PREFIX) === true;
}

/** Expects a context with forwarding. Callers make it ready with `ready()`. */
export function createNodeApp(
  context: AppContext,
  { copies, exports, sizeOf }: NodeServing,
): FastifyInstance {
  const app = createApp(context, { addresses: [] });
  app.addHook('preHandler', (request, _, done) => {
    if (context.forwarding?.isFromNode(request.raw) !== true)
      throw fault('path-not-found', { method: request.method, path: request.url });
    done();
  });
  const bytesOf = async (request: FastifyRequest): Promise<Uint8Array> => {
    const lease = context.bodies.lease(null);
    try {
      return await readBody(request.raw, { bytesMax: BATCH_BYTES_MAX, lease });
    } finally {
      lease.end();
    }
  };
  app.post(`${COPY}/import`, OPEN, (request) => {
    const { from } = urlFields(request).query;
    return copies.import(refOf(request), String(from ?? ''));
  });
  app.post(`${COPY}/create`, OPEN, async (request, reply) => {
    await copies.create(refOf(request));
    return reply.code(204).send();
  });
  app.get('/node/exports/:storage_id', OPEN, async (request, reply) => {
    const { storage_id: storageId = '' } = urlFields(request).params;
    if (!exports.has(storageId)) throw fault('path-not-found', { method: 'GET', path: request.url });
    // Not bounded in time, as other answers are: it takes as long as the index is large.
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'application/octet-stream' });
    await exports.write(storageId, reply.raw);
  });
  app.get(COPY, OPEN, (request) => copies.describe(refOf(request)));
  app.delete(COPY, OPEN, async (request, reply) => {
    await copies.drop(refOf(request));
    return reply.code(204).send();
  });
  app.post(`${COPY}/records`, OPEN, async (request, reply) => {
    const { namespace } = urlFields(request).query;
    await copies.upsert(refOf(request), String(namespace ?? ''), await bytesOf(request));
    return reply.code(204).send();
  });
  app.post(`${COPY}/steps`, OPEN, async (request, reply) => {
    // Written by `NodeCalls` of a node that knows the secret.
    const step = JSON.parse(Buffer.from(await bytesOf(request)).toString()) as CopyStep;
    await copies.follow(refOf(request), step);
    return reply.code(204).send();
  });
  app.get('/node/sizes/:index_id', OPEN, async (request) => {
    const { index_id: indexId = '' } = urlFields(request).params;
    const size = await sizeOf(indexId);
    if (size === null) throw fault('path-not-found', { method: 'GET', path: request.url });
    return size;
  });
  app.post('/node/refresh', OPEN, async (_, reply) => {
    await copies.refresh();
    return reply.code(204).send();
  });
  return app;
}

function refOf(request: FastifyRequest): CopyRef {
  const { index_id: indexId = '', storage_id: storageId = '' } = urlFields(request).params;
  return { indexId, storageId };
}
