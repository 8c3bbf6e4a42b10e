// Runs a method of the service of namespace aliases, on this thread, as the REST endpoint beside it.
import { Buffer } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DataAnswer } from '../../api/data-request.ts';
import { FRAME_HEAD_BYTES, unframe } from '../../api/grpc/frame.ts';
import { framed, readRequest } from '../../api/grpc/rpc-messages.ts';
import type { Rpc } from '../../api/grpc/rpcs.ts';
import type { AliasCall, AliasEndpoint } from '../../api/rest/aliases/alias-endpoint.ts';
import { membersOf } from '../../domain/json.ts';
import { CONTROL_REQUEST_BYTES_MAX } from '../../domain/limits.ts';
import type { ByteLease } from '../bodies/byte-budget.ts';
import { admittedPieces, type DataServing } from '../data-requests.ts';
import { currentIndex } from '../routes/bulk-routes.ts';

/** A request, what answers it, and the memory that it holds. */
export interface RpcExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly lease: ByteLease;
}

export interface AliasMethod extends Pick<DataServing, 'context' | 'indexAt'>, Pick<AliasCall, 'services'> {
  readonly rpc: Rpc;
  readonly endpoint: AliasEndpoint;
}

/** @throws payload-too-large, unknown-host, and what the endpoint throws */
export async function runAliasMethod(method: AliasMethod, exchange: RpcExchange): Promise<DataAnswer> {
  const { context, indexAt, services, rpc, endpoint } = method;
  const { request, lease } = exchange;
  const bytesMax = FRAME_HEAD_BYTES + CONTROL_REQUEST_BYTES_MAX;
  const pieces = await admittedPieces(context, request, { bytesMax, lease });
  const input = readRequest(rpc, unframe(Buffer.concat(pieces), CONTROL_REQUEST_BYTES_MAX));
  const index = currentIndex({ indexAt }, request);
  const { status, body } = await endpoint.handle({ ...input, version: request.version, index, services });
  return { status, headers: {}, body: framed(rpc.response, membersOf(body)) };
}
