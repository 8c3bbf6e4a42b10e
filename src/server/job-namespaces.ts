// Looks at namespaces and removes them for jobs, by the same endpoints that callers have for it.
import type { NamespaceStore } from '../control/imports/import-store.ts';
import { mintProjectAccess } from '../domain/access.ts';
import type { IndexProfile } from '../domain/index-model.ts';
import { namespaceToShown } from '../domain/records/record-id.ts';
import type { EngineReply, VectorEngine } from '../vectors/engine.ts';

const OK = 200;
const NOT_FOUND = 404;

/** A job was stored for a caller who was let in; it acts in that caller's project. */
export function jobNamespaces(engine: Pick<VectorEngine, 'run'>): NamespaceStore {
  const ask = async (
    endpointId: string,
    index: IndexProfile,
    namespace: string,
  ): Promise<EngineReply | null> => {
    const reply = await engine.run({
      endpointId,
      access: mintProjectAccess({ organizationId: '', projectId: index.projectId, principalId: 'job' }),
      version: null,
      index,
      params: { namespace: namespaceToShown(namespace) },
      query: {},
      body: [],
      requestId: `job-${index.id}`,
    });
    if (reply.status === NOT_FOUND) return null;
    if (reply.status !== OK) throw new Error(`${endpointId} of a job was answered ${reply.status}.`);
    return reply;
  };
  return {
    count: async (index, namespace) => {
      const reply = await ask('describe_namespace', index, namespace);
      if (reply === null) return null;
      const { record_count: count } = JSON.parse(Buffer.from(reply.body).toString()) as {
        readonly record_count: number | string;
      };
      return Number(count);
    },
    drop: async (index, namespace) => {
      await ask('delete_namespace', index, namespace);
    },
  };
}
