// Holds writes to the quotas of their callers, once a body has come and before it is embedded or written.
import type { DataEndpoint } from '../api/endpoint.ts';
import type { BulkEndpoint } from '../api/rest/import-export/bulk-endpoint.ts';
import type { ProjectAccess } from '../domain/access.ts';

/** What callers may write. */
export interface WriteQuotas {
  /** @param isBegun for more of a write that was admitted @throws rate-exceeded */
  admitWrite(access: ProjectAccess, bytes: number, isBegun: boolean): void;
  readonly growth: {
    /** @throws quota-exceeded */
    admitGrowth(access: ProjectAccess): Promise<void>;
  };
}

/** A request whose body, or a piece of it, has come. */
export interface ArrivedBody {
  readonly endpointId: string;
  readonly access: ProjectAccess;
  /** As received, and decompressed where that is possible. */
  readonly bytes: number;
  /** Whether it is a piece of a body that was admitted when it began: it counts, and is not refused. Default false. */
  readonly isBegun?: boolean;
}

/** @throws rate-exceeded, quota-exceeded */
export type AdmitBody = (body: ArrivedBody) => void | Promise<void>;

/** Removing records is what makes space, so it is never refused for want of it. */
const SHRINKING = /^delete_/;

export interface AdmittedEndpoints {
  readonly data: readonly Pick<DataEndpoint, 'id' | 'queue'>[];
  readonly bulk: readonly Pick<BulkEndpoint, 'id' | 'fileBytesMax'>[];
}

/** Counts the bodies of writes, and files; those of other endpoints pass. */
export function writeAdmission(quotas: WriteQuotas, { data, bulk }: AdmittedEndpoints): AdmitBody {
  const writes = new Set([
    ...data.filter(({ queue }) => queue === 'write').map(({ id }) => id),
    ...bulk.filter(({ fileBytesMax }) => fileBytesMax !== undefined).map(({ id }) => id),
  ]);
  return ({ endpointId, access, bytes, isBegun = false }) => {
    if (!writes.has(endpointId)) return undefined;
    const count = () => quotas.admitWrite(access, bytes, isBegun);
    if (isBegun || SHRINKING.test(endpointId)) return count();
    // First, so that refused growth leaves the rate to the deletes that make space.
    return quotas.growth.admitGrowth(access).then(count);
  };
}
