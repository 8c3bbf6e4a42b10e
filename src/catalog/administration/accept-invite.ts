// Accepts an invite: creates or finds the account, and moves the invite's bindings to it.

import type { User } from '../../domain/administration/model.ts';
import { fault } from '../../domain/faults.ts';
import type { Change } from '../change-runner.ts';
import type { InviteTable, UserTable } from '../schema.ts';
import { bindingsOf, give, takeBindings } from './bindings.ts';
import { deletePassword } from './passwords.ts';
import type { InviteLink } from './port.ts';
import { userOf } from './rows.ts';

export interface Acceptance extends InviteLink {
  /** For a new account. */
  readonly userId: string;
}

/** @throws invite-not-found when the link is an older one or the invite has expired */
export async function acceptInvite(
  change: Change,
  invite: InviteTable,
  acceptance: Acceptance,
): Promise<User> {
  const { tx } = change;
  const { id, organization_id: organizationId } = invite;
  const { linkNumber, at } = acceptance;
  if (invite.link_number !== linkNumber || invite.expires_at <= at) throw fault('invite-not-found', { id });
  const user = await accountOf(change, invite, acceptance);
  await deletePassword(tx, { organizationId, id: user.id });
  const held = await bindingsOf(tx, { organizationId, principal: { type: 'invite', id } });
  await takeBindings(change, held);
  await give(change, { organizationId, principal: { type: 'user', id: user.id } }, held);
  await tx.updateTable('invites').set({ processed_at: at }).where('id', '=', id).execute();
  change.audit({
    organizationId,
    resourceType: 'invite',
    resourceId: id,
    action: 'invite.accept',
    details: { email: user.email, userId: user.id },
  });
  return userOf(user);
}

/** People keep one account, whichever organizations they join and leave. */
async function accountOf(
  { tx, notify }: Change,
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
  notify({ kind: 'user', user: { id: user.id, email: user.email, generation: user.generation } });
  return user;
}
