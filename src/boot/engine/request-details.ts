// Packs a data request for an engine thread, as a list: threads would copy the names of an object's fields with every
// message, which takes longer than copying their values.
import type { DataRequest } from '../../api/data-request.ts';
import { mintProjectAccess } from '../../domain/access.ts';
import type { ThreadTask } from '../../engine/embedded/workers/task.ts';

export type RequestDetails = ReturnType<typeof packDetails>;

/** Packs all of a request except its index and body, which the engine sends itself. */
export function packDetails({
  endpointId,
  access: { organizationId, projectId, principalId, principalType },
  version,
  params,
  query,
  requestId,
  explain,
  recall,
  asOf,
  rpc,
  aliases,
  explainFromMs,
  answerBytesMax,
}: Omit<DataRequest, 'index' | 'body'>) {
  const caller = [organizationId, projectId, principalId, principalType] as const;
  return [
    endpointId,
    caller,
    version,
    params,
    query,
    requestId,
    explain,
    recall,
    asOf,
    rpc,
    aliases,
    explainFromMs,
    answerBytesMax,
  ] as const;
}

/** Unpacks a request. Its access is minted again: the main thread has authenticated the request. */
export function unpackRequest({ details, index, body }: ThreadTask): DataRequest {
  // Only `packDetails` makes the details of tasks.
  const [
    endpointId,
    caller,
    version,
    params,
    query,
    requestId,
    explain,
    recall,
    asOf,
    rpc,
    aliases,
    explainFromMs,
    answerBytesMax,
  ] = details as RequestDetails;
  const [organizationId, projectId, principalId, principalType] = caller;
  return {
    endpointId,
    access: mintProjectAccess({
      ...{ organizationId, projectId, principalId },
      ...(principalType !== undefined && { principalType }),
    }),
    version,
    index,
    params,
    query,
    body,
    requestId,
    ...(explain === undefined ? {} : { explain }),
    ...(recall === undefined ? {} : { recall }),
    ...(asOf === undefined ? {} : { asOf }),
    ...(rpc === undefined ? {} : { rpc }),
    ...(aliases === undefined ? {} : { aliases }),
    ...(explainFromMs === undefined ? {} : { explainFromMs }),
    ...(answerBytesMax === undefined ? {} : { answerBytesMax }),
  };
}
