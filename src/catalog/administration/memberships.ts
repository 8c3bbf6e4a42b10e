// The ways into a person's account that end with a membership: what opened it once must not open it for the next
// holder of its address.
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

/** The user of an identity whose account has another holder. It stays while its removal counts. */
export const NOBODY = '';

/** Removes an account that has no role anywhere, with all that opened it. */
export async function removeAccount(change: Change, id: string): Promise<void> {
  await forgetFormerHolder(change, id);
  await change.tx.deleteFrom('users').where('id', '=', id).execute();
  change.notify({ kind: 'principal-gone', principal: { type: 'user', id } });
}

/**
 * Removes accounts that nothing leads to: without a role, without an identity, and not removed by an owner of an
 * organization that there is, who alone may let their people come back.
 */
export async function removeLeftAccounts(tx: Change['tx']): Promise<void> {
  await tx
    .deleteFrom('users')
    .where('id', 'not in', (query) =>
      query.selectFrom('role_bindings').select('principal_id').where('principal_type', '=', 'user'),
    )
    .where('id', 'not in', (query) => query.selectFrom('identities').select('user_id'))
    .where('id', 'not in', (query) =>
      query
        .selectFrom('audit_entries')
        .innerJoin('organizations', 'organizations.id', 'audit_entries.organization_id')
        .select('resource_id')
        .where('action', '=', REMOVAL)
        .where('deleted_at', 'is', null),
    )
    .execute();
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
