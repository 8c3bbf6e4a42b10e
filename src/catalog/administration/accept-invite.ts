// Accepts an invite: creates or finds the account, and moves the invite's bindings to it.

import type { User } from '../../domain/administration/model.ts';
import { fault } from '../../domain/faults.ts';
import type { Change } from '../change-runner.ts';
import type { InviteTable, UserTable } from '../schema.ts';
import { bindingsOf, give, takeBindings } from './bindings.ts';
import { isThere } from './is-there.ts';
import { forgetFormerHolder } from './memberships.ts';
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
  const { linkNumber, at } = acceptance;
  if (invite.link_number !== linkNumber || invite.expires_at <= at) {
    throw fault('invite-not-found', { id: invite.id });
  }
  const user = await accountOf(change, invite, acceptance);
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

/** People keep one account, whichever organizations they join and leave. */
async function accountOf(
  { tx }: Change,
  { email, email_key }: InviteTable,
  { userId, name, at }: Acceptance,
): Promise<UserTable> {
  const known = await tx
    .selectFrom('users')
    .selectAll()
    .where('email_key', '=', email_key)
    .executeTakeFirst();
  const user = known ?? {
    id: userId,
    email,
    email_key,
    name,
    generation: 1,
    created_at: at,
    updated_at: at,
  };
  if (known === undefined) await tx.insertInto('users').values(user).execute();
  return user;
}
