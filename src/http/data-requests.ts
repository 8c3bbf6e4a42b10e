// What the applications of index addresses share: whose index it is, the body, the engine's part, and the memory of all that.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { masking } from '../domain/administration/authorize.ts';
import { fault } from '../domain/faults.ts';
import type { IndexDirectory } from '../domain/index-lifecycle.ts';
import { type Index, isReady } from '../domain/index-model.ts';
import type { EngineCall, EngineReply, VectorEngine } from '../engine/port/engine.ts';
import { readmit } from './access/admission.ts';
import type { AppContext } from './app.ts';
import type { ByteLease } from './bodies/byte-budget.ts';
import { readPieces } from './bodies/read-body.ts';

/**
 * Bound before anything looks at a body. The limit by content is half of it and answered by the
 * endpoints, so that a request slightly too big gets their message.
 */
export const DATA_BODY_BYTES_MAX = 4 * 1024 * 1024;

/** What index addresses answer from. */
export interface DataServing {
  readonly context: AppContext;
  readonly engine: Pick<VectorEngine, 'run'>;
  readonly directory: Pick<IndexDirectory, 'profile'>;
  /** The index that a request's port or host name stands for, whosever it is. */
  readonly indexAt: (request: FastifyRequest['raw']) => Index | undefined;
}

/** Another project's index, one that is going and none at all look the same to the caller. */
export function visibleIndex(request: FastifyRequest, index: Index | undefined): Index {
  // Not made beforehand: an error costs every request as much as its authentication.
  const missing = () => fault('unknown-host', { host: request.host });
  if (index === undefined || index.state === 'Terminating') throw missing();
  if (index.projectId !== request.access?.projectId) {
    throw masking(missing(), 'control_plane::indexes::describe');
  }
  if (!isReady(index.state)) throw fault('index-not-ready', { name: index.name });
  return index;
}

/** The whole body, after which the caller is let in once more. @throws as readPieces and readmit */
export async function admittedPieces(
  { authenticators }: Pick<AppContext, 'authenticators'>,
  request: FastifyRequest,
  bounds: { readonly bytesMax: number; readonly lease: ByteLease },
): Promise<readonly Uint8Array[]> {
  const pieces = await readPieces(request.raw, bounds);
  await readmit(authenticators, request);
  return pieces;
}

/** The engine's part of a request. @throws unknown-host, and what the engine throws */
export function runInEngine(
  { engine, directory }: Pick<DataServing, 'engine' | 'directory'>,
  request: FastifyRequest,
  call: Omit<EngineCall, 'access' | 'version' | 'index' | 'requestId'>,
): Promise<EngineReply> {
  const { access, index, version } = request;
  // Unreachable without the steps before; said again because everything hangs on them.
  if (access === null || index === null) throw fault('unauthenticated');
  // Reading the body took time, in which the index may have gone.
  const profile = directory.profile(index.id);
  if (profile === undefined) throw fault('unknown-host', { host: request.host });
  return engine.run({ ...call, access, version, index: profile, requestId: request.id });
}

/** Gives `work` a lease for what it reads. Its answer is held until the client has taken it, or has gone. */
export async function leased(
  { bodies }: Pick<AppContext, 'bodies'>,
  reply: FastifyReply,
  work: (lease: ByteLease) => Promise<EngineReply>,
): Promise<EngineReply> {
  const lease = bodies.lease();
  try {
    const answer = await work(lease);
    lease.end();
    lease.take(answer.body.length);
    return answer;
  } finally {
    if (reply.raw.closed) lease.end();
    else reply.raw.once('close', lease.end);
  }
}
