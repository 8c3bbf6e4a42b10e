// Runs one data request: finds its endpoint and its wire, and joins its body.

import type { DataAnswer, DataRequest } from '../../api/data-request.ts';
import { dataEndpoints } from '../../api/rest/data-endpoints.ts';
import { type RunTools, runDataEndpoint } from '../../api/rest/records/run-data-endpoint.ts';
import { JSON_WIRE, type Wire } from '../../api/rest/records/wire.ts';
import type { QueryExplanation } from '../../domain/query-explain.ts';
import type { AuditedRecall } from '../../domain/recall-promise.ts';
import { freeBody } from '../../engine/embedded/workers/packed-task.ts';

const endpoints = new Map(dataEndpoints.map((endpoint) => [endpoint.id, endpoint]));

/** Runs a request. Leaves its body unchanged, because the request may have to run again. */
export async function runRequest(request: DataRequest, tools: RunTools): Promise<DataAnswer> {
  const startedAt = performance.now();
  const endpoint = endpoints.get(request.endpointId);
  if (endpoint === undefined) throw new Error(`no data endpoint has the id ${request.endpointId}`);
  const body = joined(request.body);
  const wire = request.rpc === undefined ? JSON_WIRE : await wireOf(request.rpc);
  const { answer, search } = await runDataEndpoint(endpoint, { ...request, body }, { ...tools, wire });
  if (!request.body.includes(body)) freeBody([body]);
  const engineMs = performance.now() - startedAt;
  const { explainFromMs = Number.POSITIVE_INFINITY } = request;
  const explanation = engineMs >= explainFromMs ? search : null;
  return {
    ...answer,
    work: [
      engineMs,
      search?.expectedRecall ?? null,
      auditedOf(search),
      search?.promisedRecall ?? null,
      explanation,
    ],
  };
}

function auditedOf(search: QueryExplanation | null | undefined): AuditedRecall | null {
  if (!search || search.auditedRecall === null) return null;
  const { auditedRecall: share, auditedRecallLow: low, auditedRecallHigh: high } = search;
  return { share, low: low ?? 0, high: high ?? 1 };
}

let grpc: Promise<(rpc: string) => Wire> | undefined;

/** Loads the gRPC code with the first gRPC request, because most servers receive none. */
async function wireOf(rpc: string): Promise<Wire> {
  grpc ??= import('../../api/grpc/grpc-wire.ts').then(({ grpcWire }) => grpcWire);
  return (await grpc)(rpc);
}

/** Joins the pieces: returns a single piece itself, or else a copy. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first, ...rest] = pieces;
  if (first !== undefined && rest.length === 0) return first;
  const all = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all;
}
