// Gives stored records other vectors, for a job, by the endpoint that text records are written with.

import type { ProjectAccess } from '../../domain/access.ts';
import { mintProjectAccess } from '../../domain/access.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { namespaceToShown } from '../../domain/records/record-id.ts';
import type { VectorEngine } from '../../engine/port/engine.ts';

const CREATED = 201;

export interface VectorsBody {
  readonly namespace: string;
  readonly body: readonly Uint8Array[];
}

/** The access of a job to the project of its index: it was stored for a caller who was let in. */
export function jobAccess({ projectId }: { readonly projectId: string }): ProjectAccess {
  return mintProjectAccess({ organizationId: '', projectId, principalId: 'job' });
}

/** On disk when it resolves. @throws when they could not be written; overloaded */
export async function writeVectors(
  engine: Pick<VectorEngine, 'run'>,
  index: IndexProfile,
  { namespace, body }: VectorsBody,
): Promise<void> {
  const reply = await engine.run({
    endpointId: 'upsert_records',
    access: jobAccess(index),
    version: null,
    index,
    params: { namespace: namespaceToShown(namespace) },
    query: {},
    body,
    requestId: `reembed-${index.id}`,
  });
  if (reply.status === CREATED) return;
  throw new Error(`Vectors could not be written: ${reply.status} ${Buffer.from(reply.body).toString()}`);
}
