// A data request on its way to an engine thread. It travels as a list: with every message, threads copy the names of an
// object's fields as well, and that takes longer than copying what they hold.
import type { DataRequest } from '../../api/data-request.ts';
import { mintProjectAccess } from '../../domain/access.ts';
import type { ThreadTask } from '../../engine/embedded/workers/task.ts';

export type RequestDetails = ReturnType<typeof packDetails>;

/** All of a request but its index and body, which the engine carries itself. */
export function packDetails({
  endpointId,
  access: { organizationId, projectId, principalId },
  version,
  params,
  query,
  requestId,
  explain,
  rpc,
}: Omit<DataRequest, 'index' | 'body'>) {
  const caller = [organizationId, projectId, principalId] as const;
  return [endpointId, caller, version, params, query, requestId, explain, rpc] as const;
}

/** The serving thread has authenticated the request; the copy that arrived stands for the same access. */
export function unpackRequest({ details, index, body }: ThreadTask): DataRequest {
  // Only `packDetails` makes the details of this server's tasks.
  const [endpointId, caller, version, params, query, requestId, explain, rpc] = details as RequestDetails;
  const [organizationId, projectId, principalId] = caller;
  return {
    endpointId,
    access: mintProjectAccess({ organizationId, projectId, principalId }),
    version,
    index,
    params,
    query,
    body,
    requestId,
    ...(explain === undefined ? {} : { explain }),
    ...(rpc === undefined ? {} : { rpc }),
  };
}
