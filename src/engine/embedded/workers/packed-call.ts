// A data request on its way to an engine thread, as lists: with every message, threads copy the names of an object's
// fields as well, and that takes longer than copying what they hold.
import { mintProjectAccess } from '../../../domain/access.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { EngineCall } from '../../port/engine.ts';

export interface PackedCall {
  readonly facts: ReturnType<typeof packFacts>;
  readonly profile: ReturnType<typeof packProfile>;
  readonly body: readonly Uint8Array[];
}

/** @param body in the place of the call's own */
export function packCall(call: EngineCall, body: readonly Uint8Array[]): PackedCall {
  return { facts: packFacts(call), profile: packProfile(call.index), body };
}

/** The serving thread has authenticated the request; the copy that arrived stands for the same access. */
export function unpackCall({ facts, profile, body }: PackedCall): EngineCall {
  const [endpointId, access, version, params, query, requestId, explain, rpc] = facts;
  const [organizationId, projectId, principalId] = access;
  return {
    endpointId,
    access: mintProjectAccess({ organizationId, projectId, principalId }),
    version,
    index: unpackProfile(profile),
    params,
    query,
    body,
    requestId,
    ...(explain === undefined ? {} : { explain }),
    ...(rpc === undefined ? {} : { rpc }),
  };
}

/**
 * Frees a body that nobody reads any more, at once: megabytes of bodies would make V8 go through all objects of the thread
 * to find that they are out of use.
 */
export function freeBody(pieces: readonly Uint8Array[]): void {
  for (const { buffer } of pieces) if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

function packFacts({ endpointId, access, version, params, query, requestId, explain, rpc }: EngineCall) {
  const { organizationId, projectId, principalId } = access;
  const who = [organizationId, projectId, principalId] as const;
  return [endpointId, who, version, params, query, requestId, explain, rpc] as const;
}

function packProfile({ id, name, projectId, kind, vectorType, metric, dimension, ...more }: IndexProfile) {
  const { filterableFields, metadataSchema, dedicated, readable } = more;
  const space = [vectorType, metric, dimension] as const;
  return [id, name, projectId, kind, space, filterableFields, metadataSchema, dedicated, readable] as const;
}

function unpackProfile(packed: PackedCall['profile']): IndexProfile {
  const [id, name, projectId, kind, space, filterableFields, metadataSchema, dedicated, readable] = packed;
  const [vectorType, metric, dimension] = space;
  return {
    id,
    name,
    projectId,
    kind,
    vectorType,
    metric,
    dimension,
    filterableFields,
    metadataSchema,
    dedicated,
    readable,
  };
}
