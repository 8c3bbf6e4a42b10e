// Holds writes to the quotas of their callers, once a body has come and before it is embedded or written.
import type { DataEndpoint } from '../api/endpoint.ts';
import type { ProjectAccess } from '../domain/access.ts';

/** What callers may write. */
export interface WriteQuotas {
  /** @throws rate-exceeded */
  admitWrite(access: ProjectAccess, bytes: number): void;
  /** @throws quota-exceeded */
  admitGrowth(access: ProjectAccess): Promise<void>;
}

/** A request to a data endpoint whose body has come. */
export interface ArrivedBody {
  readonly endpointId: string;
  readonly access: ProjectAccess;
  /** As received. */
  readonly bytes: number;
}

/** @throws rate-exceeded, quota-exceeded */
export type AdmitBody = (body: ArrivedBody) => void | Promise<void>;

/** Removing records is what makes space, so it is never refused for want of it. */
const SHRINKING = /^delete_/;

/** Counts the bodies of writes; those of other endpoints pass. */
export function writeAdmission(
  quotas: WriteQuotas,
  endpoints: readonly Pick<DataEndpoint, 'id' | 'queue'>[],
): AdmitBody {
  const writes = new Set(endpoints.filter(({ queue }) => queue === 'write').map(({ id }) => id));
  return ({ endpointId, access, bytes }) => {
    if (!writes.has(endpointId)) return undefined;
    quotas.admitWrite(access, bytes);
    return SHRINKING.test(endpointId) ? undefined : quotas.admitGrowth(access);
  };
}
