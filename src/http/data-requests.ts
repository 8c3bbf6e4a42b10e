// What the REST and gRPC applications of index addresses share: index lookup, bodies, engine calls and the byte budget.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataAnswer, DataExecutor, DataRequest } from '../api/data-request.ts';
import { AS_OF_HEADER } from '../api/rest/records/as-of.ts';
import { RECALL_HEADER } from '../api/rest/records/recall-target.ts';
import { masking } from '../domain/administration/authorize.ts';
import type { AliasDirectory } from '../domain/aliases/services.ts';
import { fault } from '../domain/faults.ts';
import type { IndexDirectory } from '../domain/index-lifecycle.ts';
import { type Index, isReady, profileOf, storageIdOf } from '../domain/index-model.ts';
import type { WriteAdmission } from '../domain/write-admission.ts';
import { readmit } from './access/admission.ts';
import type { AppContext } from './app.ts';
import type { ByteLease } from './bodies/byte-budget.ts';
import { type BodyBounds, readPieces } from './bodies/read-body.ts';
import { isClosed, whenClosed } from './client-gone.ts';
import type { Counting, RequestCount } from './request-count.ts';

/**
 * The bound before anything parses a body. The documented limit is half of it and enforced by the
 * endpoints, so that a request slightly too large gets their message.
 */
export const DATA_BODY_BYTES_MAX = 4 * 1024 * 1024;

/** What the applications of index addresses depend on. */
export interface DataServing extends Pick<Counting, 'meter'> {
  readonly context: AppContext;
  readonly executor: DataExecutor;
  readonly directory: Pick<IndexDirectory, 'profile'>;
  readonly aliases: AliasDirectory;
  /** By default every write passes. */
  readonly admission?: WriteAdmission | undefined;
  /** The index at a request's port or host name, whichever project owns it, or the one that it names. */
  readonly indexAt: (request: FastifyRequest) => Index | undefined;
  /** The name that a request gives its index; absent on addresses of indexes. */
  readonly nameIn?: (request: FastifyRequest) => string | undefined;
}

/** To the caller, another project's index and one being deleted look like no index at all. */
export function visibleIndex(
  request: FastifyRequest,
  { indexAt, nameIn }: Pick<DataServing, 'indexAt' | 'nameIn'>,
): Index {
  const index = indexAt(request);
  const name = nameIn?.(request);
  // Created on demand: constructing an error costs as much as authenticating the request.
  const missing = () =>
    name === undefined ? fault('unknown-host', { host: request.host }) : fault('index-not-found', { name });
  if (index === undefined || index.state === 'Terminating') throw missing();
  if (index.projectId !== request.access?.projectId) {
    throw masking(missing(), 'control_plane::indexes::describe');
  }
  if (!isReady(index.state)) throw fault('index-not-ready', { name: index.name });
  return index;
}

/**
 * The whole body, after which the caller is checked again.
 * @param countedBytes for how many bytes it counts; default those received
 * @throws as readPieces and admitBody, and what `countedBytes` throws
 */
export async function admittedPieces(
  context: Pick<AppContext, 'authenticators' | 'admitBody'>,
  request: FastifyRequest,
  {
    countedBytes = receivedBytes,
    ...bounds
  }: BodyBounds & {
    readonly countedBytes?: (pieces: readonly Uint8Array[]) => number;
  },
): Promise<readonly Uint8Array[]> {
  const pieces = await readPieces(request.raw, bounds);
  await admitBody(context, request, countedBytes(pieces));
  return pieces;
}

function receivedBytes(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
}

/**
 * Checks a caller whose body has come: once more, and for what it may write.
 * @param bytes of the body @throws as readmit; rate-exceeded, quota-exceeded
 */
export async function admitBody(
  context: Pick<AppContext, 'authenticators' | 'admitBody'>,
  request: FastifyRequest,
  bytes: number,
): Promise<void> {
  await readmit(context.authenticators, request);
  const { access, routeOptions } = request;
  const { endpoint } = routeOptions.config;
  if (access !== null && endpoint !== undefined)
    await context.admitBody?.({ endpointId: endpoint.id, access, bytes });
}

/**
 * Runs the work of a request within the admission of writes. A write is to the vectors that answer once it is admitted,
 * whichever answered when it came.
 * @throws overloaded, unknown-host, and what the work throws
 */
export async function admitted<Result>(
  { admission, indexAt }: Pick<DataServing, 'admission' | 'indexAt'>,
  request: FastifyRequest,
  { endpointId, work }: { readonly endpointId: string; readonly work: (index: Index) => Promise<Result> },
): Promise<Result> {
  const { index } = request;
  // The steps before guarantee this; checked again because access control depends on it.
  if (index === null) throw fault('unauthenticated');
  const entering = admission?.enter(index.id, endpointId) ?? null;
  if (entering === null) return work(index);
  const leave = await entering;
  try {
    const present = indexAt(request);
    if (present?.id !== index.id) throw fault('unknown-host', { host: request.host });
    request.index = present;
    return await work(present);
  } finally {
    leave();
  }
}

/** The moment at which a request reads, as received; nothing for the present. */
export function pastOf({ headers }: Pick<FastifyRequest, 'headers'>): { readonly asOf?: string } {
  const asOf = headers[AS_OF_HEADER];
  return typeof asOf === 'string' ? { asOf } : {};
}

/** The recall that a request asks of its search, as received; nothing for the usual one. */
export function recallOf({ headers }: Pick<FastifyRequest, 'headers'>): { readonly recall?: string } {
  const recall = headers[RECALL_HEADER];
  return typeof recall === 'string' ? { recall } : {};
}

/** A request, what answers it, and what counts it. */
export interface CountedExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly count: RequestCount;
}

/** Runs the endpoint of a request, which has been admitted. @throws unknown-host, and what the executor throws */
export async function execute(
  {
    context,
    executor,
    directory,
    aliases,
  }: Pick<DataServing, 'context' | 'executor' | 'directory' | 'aliases'>,
  { request, reply, count }: CountedExchange,
  call: Omit<
    DataRequest,
    'access' | 'version' | 'index' | 'requestId' | 'aliases' | 'isWanted' | 'answerBytesMax'
  >,
): Promise<DataAnswer> {
  const { access, index, version } = request;
  // The steps before guarantee this; checked again because access control depends on it.
  if (access === null || index === null) throw fault('unauthenticated');
  // The index may have been deleted while the body was read.
  const present = directory.profile(index.id);
  if (present === undefined) throw fault('unknown-host', { host: request.host });
  // Texts were embedded for the vectors that answered when the request came.
  const profile = present.id === storageIdOf(index) ? present : profileOf(index);
  const shared = aliases.shared(index.id);
  const names = shared === undefined ? {} : { aliases: shared };
  const { slowRequests, tracing } = context;
  const isTraced = tracing !== undefined && request.trace?.isSampled === true;
  const explainFromMs = isTraced ? 0 : slowRequests?.fromMs;
  return count.engine(() =>
    executor.run({
      ...call,
      ...names,
      access,
      version,
      index: profile,
      requestId: request.id,
      answerBytesMax: context.bodies.answerBytesMax,
      isWanted: () => !isClosed(reply.raw),
      ...pastOf(request),
      ...(explainFromMs !== undefined && { explainFromMs }),
    }),
  );
}

/**
 * Gives `work` a lease for what it reads. The response counts against it until the client has read it or has gone.
 * @throws overloaded where the response fits into no memory; what the work throws
 */
export async function leased(
  { bodies }: Pick<AppContext, 'bodies'>,
  reply: FastifyReply,
  work: (lease: ByteLease) => Promise<DataAnswer>,
): Promise<DataAnswer> {
  const lease = bodies.lease(reply.request.access);
  try {
    const answer = await work(lease);
    lease.exchange(answer.body.length);
    return answer;
  } finally {
    whenClosed(reply.raw, lease.end);
  }
}
