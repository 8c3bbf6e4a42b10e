// An executor that holds writes to the quotas of their callers before the engine gets them.
import type { DataAnswer, DataExecutor, DataRequest } from '../api/data-request.ts';
import type { DataEndpoint } from '../api/endpoint.ts';
import type { ProjectAccess } from '../domain/access.ts';

/** What callers may write. */
export interface WriteQuotas {
  /** @throws rate-exceeded */
  admitWrite(access: ProjectAccess, bytes: number): void;
  /** @throws quota-exceeded */
  admitGrowth(access: ProjectAccess): Promise<void>;
}

/** Removing records is what makes space, so it is never refused for want of it. */
const SHRINKING = /^delete_/;

export function quotaExecutor(
  executor: DataExecutor,
  quotas: WriteQuotas,
  endpoints: readonly Pick<DataEndpoint, 'id' | 'queue'>[],
): DataExecutor {
  const writes = new Set(endpoints.filter(({ queue }) => queue === 'write').map(({ id }) => id));
  return {
    run: async (request: DataRequest): Promise<DataAnswer> => {
      const { endpointId, access, body } = request;
      if (!writes.has(endpointId)) return executor.run(request);
      quotas.admitWrite(
        access,
        body.reduce((sum, piece) => sum + piece.length, 0),
      );
      if (!SHRINKING.test(endpointId)) await quotas.admitGrowth(access);
      return executor.run(request);
    },
  };
}
