// Encodes tasks for engine threads as arrays: structured cloning copies the field names of objects with every
// message, which takes longer than copying their values.
import type { IndexProfile } from '../../../domain/index-model.ts';
import { packSchema, unpackSchema } from './packed-schema.ts';
import type { Task, ThreadTask } from './task.ts';

export type PackedProfile = ReturnType<typeof packProfile>;

export type PackedTask = readonly [
  details: unknown,
  profile: PackedProfile,
  body: readonly Uint8Array[],
  caller: string,
];

/** @param body replaces the body of the task */
export function packTask({ details, index, caller = '' }: Task, body: readonly Uint8Array[]): PackedTask {
  return [details, packProfile(index), body, caller];
}

export function unpackTask([details, profile, body, caller]: PackedTask): ThreadTask {
  return { details, index: unpackProfile(profile), body, caller };
}

/**
 * Frees a body at once. Otherwise megabytes of unused bodies would make V8 scan all objects of the thread to find
 * that they are garbage.
 */
export function freeBody(pieces: readonly Uint8Array[]): void {
  for (const { buffer } of pieces) if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

export function packProfile({
  id,
  name,
  projectId,
  kind,
  vectorType,
  metric,
  dimension,
  indexId = id,
  ...more
}: IndexProfile) {
  const {
    filterableFields,
    metadataSchema,
    dedicated,
    readable,
    documents,
    timeToLive,
    rankedFields,
    promisedRecall,
    memoryProfile,
  } = more;
  const space = [vectorType, metric, dimension] as const;
  return [
    id,
    name,
    projectId,
    kind,
    space,
    filterableFields,
    metadataSchema,
    dedicated,
    readable,
    packSchema(documents),
    indexId,
    timeToLive,
    rankedFields,
    promisedRecall,
    memoryProfile,
  ] as const;
}

export function unpackProfile(packed: PackedProfile): IndexProfile {
  const [id, name, projectId, kind, space, filterableFields, metadataSchema, dedicated, ...more] = packed;
  const [readable, schema, indexId, timeToLive, rankedFields, promisedRecall, memoryProfile] = more;
  const [vectorType, metric, dimension] = space;
  return {
    id,
    ...(indexId !== id && { indexId }),
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
    documents: unpackSchema(schema),
    ...(rankedFields !== undefined && { rankedFields }),
    ...(timeToLive !== undefined && { timeToLive }),
    ...(promisedRecall !== undefined && { promisedRecall }),
    ...(memoryProfile !== undefined && { memoryProfile }),
  };
}
