// Looks at namespaces for jobs, by the same endpoint that callers have for it.

import { mintProjectAccess } from '../../domain/access.ts';
import { namespaceToShown } from '../../domain/records/record-id.ts';
import type { VectorEngine } from '../../engine/port/engine.ts';
import type { NamespaceStore } from './imports/import-store.ts';

const ENDPOINT = 'describe_namespace';
const OK = 200;
const NOT_FOUND = 404;

/** A job was stored for a caller who was let in; it acts in that caller's project. */
export function jobNamespaces(engine: Pick<VectorEngine, 'run'>): NamespaceStore {
  return {
    count: async (index, namespace) => {
      const { status, body } = await engine.run({
        endpointId: ENDPOINT,
        access: mintProjectAccess({ organizationId: '', projectId: index.projectId, principalId: 'job' }),
        version: null,
        index,
        params: { namespace: namespaceToShown(namespace) },
        query: {},
        body: [],
        requestId: `job-${index.id}`,
      });
      if (status === NOT_FOUND) return null;
      if (status !== OK) throw new Error(`${ENDPOINT} of a job was answered ${status}.`);
      const { record_count: count } = JSON.parse(Buffer.from(body).toString()) as {
        readonly record_count: number | string;
      };
      return Number(count);
    },
  };
}
