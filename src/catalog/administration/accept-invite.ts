// Accepts an invite: finds or creates the account, and moves the invite's bindings to it.

import type { User } from '../../domain/administration/model.ts';
import { emailKey } from '../../domain/administration/names.ts';
import { fault } from '../../domain/faults.ts';
import type { Change } from '../change-runner.ts';
import type { InviteTable, UserTable } from '../schema.ts';
import { bindingsOf, give, takeBindings } from './bindings.ts';
import { isThere } from './is-there.ts';
import { forgetFormerHolder, removeAccount } from './memberships.ts';
import type { InviteLink } from './port.ts';
import { userOf } from './rows.ts';

export interface Acceptance extends InviteLink {
  /** For a new account. */
  readonly userId: string;
}

/** @throws invite-not-found when the link is an older one or the invite has expired; already-member */
export async function acceptInvite(
  change: Change,
  invite: InviteTable,
  acceptance: Acceptance,
): Promise<User> {
  const { linkNumber, userId: id, name, at } = acceptance;
  if (invite.link_number !== linkNumber || invite.expires_at <= at) {
    throw fault('invite-not-found', { id: invite.id });
  }
  const { email } = invite;
  const user = (await heldAccount(change.tx, email)) ?? (await newAccount(change, { id, email, name, at }));
  await admit(change, invite, user);
  return userOf(user);
}

/**
 * Moves the invite's bindings to an account, which nothing of an earlier membership opens any more.
 * @throws already-member, since a link must not open the account of a person who has it
 */
export async function admit(
  change: Change,
  { id, organization_id: organizationId }: InviteTable,
  user: UserTable,
): Promise<void> {
  const { tx, now } = change;
  const member = { organizationId, principal: { type: 'user', id: user.id } as const };
  if (await isThere(tx, member)) throw fault('already-member');
  await forgetFormerHolder(change, user.id);
  const held = await bindingsOf(tx, { organizationId, principal: { type: 'invite', id } });
  await takeBindings(change, held);
  await give(change, member, held);
  await tx.updateTable('invites').set({ processed_at: now }).where('id', '=', id).execute();
  const details = { email: user.email, userId: user.id };
  change.audit({ organizationId, resourceType: 'invite', resourceId: id, action: 'invite.accept', details });
}

/** The account of whoever has a role by an address: people keep one, whichever organizations they join and leave. */
export async function heldAccount(tx: Change['tx'], email: string): Promise<UserTable | undefined> {
  return accountsBy(tx, email)
    .where('id', 'in', (query) =>
      query.selectFrom('role_bindings').select('principal_id').where('principal_type', '=', 'user'),
    )
    .executeTakeFirst();
}

/** Also one that nobody has any more. */
export function accountsBy(tx: Change['tx'], email: string) {
  return tx.selectFrom('users').selectAll().where('email_key', '=', emailKey(email));
}

/** A new account for an address by which nobody has a role. Nothing of a former holder of the address is left. */
export async function newAccount(
  change: Change,
  { id, email, name, at }: { readonly id: string; readonly at: string } & Pick<UserTable, 'email' | 'name'>,
): Promise<UserTable> {
  for (const former of await accountsBy(change.tx, email).execute()) await removeAccount(change, former.id);
  const user = {
    ...{ id, email, email_key: emailKey(email), name, generation: 1 },
    ...{ created_at: at, updated_at: at },
  };
  await change.tx.insertInto('users').values(user).execute();
  change.notify({ kind: 'user', user: { id, email, generation: user.generation } });
  return user;
}
