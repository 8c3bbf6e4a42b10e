// Checks, within a transaction, whether a principal is in an organization.
import type { Transaction } from 'kysely';
import type { CatalogSchema } from '../schema.ts';
import type { GrantTo } from './bindings.ts';
import { membersOf } from './members.ts';

/** Not for API keys, which belong to a project. An accepted invite no longer counts. */
export async function isThere(
  tx: Transaction<CatalogSchema>,
  { organizationId, principal: { type, id } }: GrantTo,
): Promise<boolean> {
  if (type === 'user') {
    const user = membersOf(tx, organizationId).where('users.id', '=', id);
    return (await user.executeTakeFirst()) !== undefined;
  }
  if (type === 'invite') {
    const invite = tx.selectFrom('invites').select('id').where('id', '=', id);
    const open = invite.where('organization_id', '=', organizationId).where('processed_at', 'is', null);
    return (await open.executeTakeFirst()) !== undefined;
  }
  const account = tx.selectFrom('service_accounts').select('id').where('id', '=', id);
  return (await account.where('organization_id', '=', organizationId).executeTakeFirst()) !== undefined;
}
