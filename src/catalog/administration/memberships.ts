// The ways into a person's account that end with a membership: what opened it once must not open it for the next
// holder of its address.
import { parseJsonText } from '../../domain/json.ts';
import type { Change } from '../change-runner.ts';
import type { Ref } from './port.ts';

/** Invalidates the person's tokens and sessions in every organization, at every node. */
export async function endTokens({ tx, notify }: Change, id: string): Promise<number> {
  const user = await tx
    .updateTable('users')
    .set(({ eb }) => ({ generation: eb('generation', '+', 1) }))
    .where('id', '=', id)
    .returning(['id', 'email', 'generation'])
    .executeTakeFirstOrThrow();
  notify({ kind: 'user', user });
  return user.generation;
}

/** Ends what opened the account while its person was a member: a later membership begins without. */
export async function endMembership(change: Change, { organizationId, id }: Ref): Promise<void> {
  await change.tx
    .deleteFrom('passwords')
    .where('user_id', '=', id)
    .where('organization_id', '=', organizationId)
    .execute();
  await endTokens(change, id);
}

/** The action of an owner who removes a person. */
export const REMOVAL = 'user.remove';

/** The action of whoever takes a single role; the last one ends a membership, too. */
export const ROLE_REMOVAL = 'role_binding.delete';

/** The user of an identity whose account has another holder. It stays while its removal counts. */
export const NOBODY = '';

/** Removes an account that has no role anywhere, with all that opened it. */
export async function removeAccount(change: Change, id: string): Promise<void> {
  await forgetFormerHolder(change, id);
  await change.tx.deleteFrom('users').where('id', '=', id).execute();
  change.notify({ kind: 'principal-gone', principal: { type: 'user', id } });
}

/**
 * Removes accounts that nothing leads to: without a role, without an identity, and not taken out of an organization that
 * there is, which alone may let its people come back.
 */
export async function removeLeftAccounts(tx: Change['tx']): Promise<void> {
  const left = await tx
    .selectFrom('users')
    .select('id')
    .where('id', 'not in', (query) =>
      query.selectFrom('role_bindings').select('principal_id').where('principal_type', '=', 'user'),
    )
    .where('id', 'not in', (query) => query.selectFrom('identities').select('user_id'))
    .execute();
  if (left.length === 0) return;
  const takenOut = await takenOutOfLiving(tx);
  for (const { id } of left)
    if (!takenOut.has(id)) await tx.deleteFrom('users').where('id', '=', id).execute();
}

/** Whom living organizations have taken out: removed, or taken roles from. */
async function takenOutOfLiving(tx: Change['tx']): Promise<ReadonlySet<unknown>> {
  const entries = await tx
    .selectFrom('audit_entries')
    .innerJoin('organizations', 'organizations.id', 'audit_entries.organization_id')
    .select(['action', 'resource_id', 'details'])
    .where('action', 'in', [REMOVAL, ROLE_REMOVAL])
    .where('deleted_at', 'is', null)
    .execute();
  return new Set(
    entries.map(({ action, resource_id, details }) =>
      action === REMOVAL ? resource_id : parseJsonText(details).principalId,
    ),
  );
}

/** Removes the passwords and identities of organizations where the account has no role, and ends all its tokens. */
export async function forgetFormerHolder(change: Change, id: string): Promise<void> {
  const { tx } = change;
  const roles = tx
    .selectFrom('role_bindings')
    .select('role_bindings.organization_id')
    .where('principal_type', '=', 'user')
    .where('principal_id', '=', id);
  await tx
    .deleteFrom('passwords')
    .where('user_id', '=', id)
    .where('organization_id', 'not in', roles)
    .execute();
  // Whom an owner has removed needs an invite under any address.
  await tx
    .updateTable('identities')
    .set({ user_id: NOBODY })
    .where('user_id', '=', id)
    .where('organization_id', 'not in', roles)
    .where('removed_at', 'is not', null)
    .execute();
  await tx
    .deleteFrom('identities')
    .where('user_id', '=', id)
    .where('organization_id', 'not in', roles)
    .execute();
  await endTokens(change, id);
}
