// The access that jobs act with. A job is stored only for an authorized caller.
import { mintProjectAccess, type ProjectAccess } from '../domain/access.ts';

/** Returns access to the project of an index. */
export function jobAccess({ projectId }: { readonly projectId: string }): ProjectAccess {
  return mintProjectAccess({ organizationId: '', projectId, principalId: 'job' });
}
