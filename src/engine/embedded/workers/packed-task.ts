// A task on its way to an engine thread, as lists: with every message, threads copy the names of an object's
// fields as well, and that takes longer than copying what they hold.
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { Task, ThreadTask } from './task.ts';

export type PackedProfile = ReturnType<typeof packProfile>;

export type PackedTask = readonly [details: unknown, profile: PackedProfile, body: readonly Uint8Array[]];

/** @param body in place of the task's own */
export function packTask({ details, index }: Task, body: readonly Uint8Array[]): PackedTask {
  return [details, packProfile(index), body];
}

export function unpackTask([details, profile, body]: PackedTask): ThreadTask {
  return { details, index: unpackProfile(profile), body };
}

/**
 * Frees a body that nobody reads any more, at once: megabytes of bodies would make V8 go through all objects of the thread
 * to find that they are out of use.
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
  ...more
}: IndexProfile) {
  const { filterableFields, metadataSchema, dedicated, readable, documents } = more;
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
    documents,
  ] as const;
}

export function unpackProfile(packed: PackedProfile): IndexProfile {
  const [id, name, projectId, kind, space, filterableFields, metadataSchema, dedicated, readable, documents] =
    packed;
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
    documents,
  };
}
