// Runs one data plane request in an engine thread: finds its endpoint and hands it the store.
import { mintProjectAccess } from '../domain/access.ts';
import { dataEndpoints } from '../surfaces/data/index.ts';
import { type RunTools, runDataEndpoint } from '../surfaces/data/run-data-endpoint.ts';
import type { EngineCall, EngineReply } from '../vectors/engine.ts';

const endpoints = new Map(dataEndpoints.map((endpoint) => [endpoint.id, endpoint]));

export function runCall(call: EngineCall, tools: RunTools): Promise<EngineReply> {
  const endpoint = endpoints.get(call.endpointId);
  if (endpoint === undefined) throw new Error(`no data endpoint has the id ${call.endpointId}`);
  // The serving thread has authenticated the request; the copy that arrived here stands for the same access.
  const access = mintProjectAccess(call.access);
  const [first, ...rest] = call.body;
  const body = first !== undefined && rest.length === 0 ? first : Buffer.concat(call.body);
  return runDataEndpoint(endpoint, { ...call, access, body }, tools);
}
