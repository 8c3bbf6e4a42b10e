// The access that jobs act with: a job was stored for a caller who was let in.
import { mintProjectAccess, type ProjectAccess } from '../domain/access.ts';

/** Access to the project of an index. */
export function jobAccess({ projectId }: { readonly projectId: string }): ProjectAccess {
  return mintProjectAccess({ organizationId: '', projectId, principalId: 'job' });
}
