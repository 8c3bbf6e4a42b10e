// Invites in SQL: a unique index enforces one open invite per address and organization.
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Actor } from '../../domain/administration/audit.ts';
import { INVITES_PER_HOUR_MAX } from '../../domain/administration/limits.ts';
import { emailKey } from '../../domain/administration/names.ts';
import { fault } from '../../domain/faults.ts';
import type { Change, ChangeRunner } from '../change-runner.ts';
import type { CatalogSchema, InviteTable, UserTable } from '../schema.ts';
import { acceptInvite } from './accept-invite.ts';
import { bindingsOf, give, takeBindings } from './bindings.ts';
import { membersOf } from './members.ts';
import { byCreation, isAfter } from './page-of.ts';
import type { InviteStore, NewInvite, Ref } from './port.ts';
import { requireOrganization } from './projects.ts';
import { inviteOf } from './rows.ts';

const HOUR_MS = 3_600_000;

export function sqlInvites(runner: ChangeRunner): InviteStore {
  const { db } = runner;
  return {
    list: async (organizationId, page) => {
      const rows = await db
        .selectFrom('invites')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('processed_at', 'is', null)
        .where(isAfter('invites', page))
        .orderBy('created_at')
        .orderBy('id')
        .limit(page.limit + 1)
        .execute();
      return byCreation(rows.map(inviteOf), page.limit);
    },

    find: async ({ organizationId, id }) => {
      const row = await db
        .selectFrom('invites')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return row === undefined ? null : inviteOf(row);
    },

    create: (invite, grants, by) =>
      runner.run(by, async (change) => {
        await requireOrganization(change.tx, invite.organizationId);
        await requireNewcomer(change.tx, invite);
        await requireInvitesLeft(change, invite.organizationId);
        const row = rowOf(invite);
        await change.tx.insertInto('invites').values(row).execute();
        await give(change, holder(invite), grants);
        const details = { email: invite.email, roles: grants.map(({ role }) => role) };
        change.audit({ ...about(invite), action: 'invite.create', details });
        return inviteOf(row);
      }),

    resend: (ref, expiresAt, by) =>
      runner.run(by, async (change) => {
        const open = await requireOpen(change.tx, ref);
        await requireInvitesLeft(change, ref.organizationId);
        const renewed = { expires_at: expiresAt, link_number: open.link_number + 1 };
        await change.tx.updateTable('invites').set(renewed).where('id', '=', ref.id).execute();
        change.audit({ ...about(ref), action: 'invite.resend', details: { email: open.email } });
        return inviteOf({ ...open, ...renewed });
      }),

    delete: (ref, by) =>
      runner.run(by, async (change) => {
        await remove(change, await requireOpen(change.tx, ref));
      }),

    accept: (ref, link) => {
      // The actor is the holder of the link, who becomes a user by accepting.
      const userId = randomUUID();
      const by: Actor = { type: 'invite', id: ref.id, requestId: link.requestId };
      return runner.run(by, async (change) => {
        const open = await requireOpen(change.tx, ref);
        return acceptInvite(change, open, { ...link, userId });
      });
    },
  };
}

/** Removes the invites, pending and expired, of a person who has become a member without them. */
export async function removeInvitesOf(
  change: Change,
  organizationId: string,
  { email_key }: Pick<UserTable, 'email_key'>,
): Promise<void> {
  const open = await change.tx
    .selectFrom('invites')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('email_key', '=', email_key)
    .where('processed_at', 'is', null)
    .execute();
  for (const invite of open) await remove(change, invite);
}

async function remove(change: Change, { id, organization_id, email }: InviteTable): Promise<void> {
  const ref = { organizationId: organization_id, id };
  await takeBindings(change, await bindingsOf(change.tx, holder(ref)));
  await change.tx.deleteFrom('invites').where('id', '=', id).execute();
  change.audit({ ...about(ref), action: 'invite.delete', details: { email } });
}

/** @throws invite-exists, already-member */
async function requireNewcomer(tx: Transaction<CatalogSchema>, invite: NewInvite): Promise<void> {
  const { organizationId, email } = invite;
  const open = await tx
    .selectFrom('invites')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('email_key', '=', emailKey(email))
    .where('processed_at', 'is', null)
    .executeTakeFirst();
  if (open !== undefined) throw fault('invite-exists', { id: open.id });
  const member = await membersOf(tx, organizationId)
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst();
  if (member !== undefined) throw fault('already-member');
}

/** Counts invites in the audit log. @throws invites-exhausted */
async function requireInvitesLeft({ tx, now }: Change, organizationId: string): Promise<void> {
  const since = new Date(Date.parse(now) - HOUR_MS).toISOString();
  const sent = await tx
    .selectFrom('audit_entries')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('organization_id', '=', organizationId)
    .where('at', '>', since)
    .where('action', 'in', ['invite.create', 'invite.resend'])
    .where('outcome', '=', 'allowed')
    .executeTakeFirstOrThrow();
  if (Number(sent.count) >= INVITES_PER_HOUR_MAX) {
    throw fault('invites-exhausted', { max: INVITES_PER_HOUR_MAX });
  }
}

/** Pending or expired. @throws invite-not-found, invite-processed */
async function requireOpen(
  tx: Transaction<CatalogSchema>,
  { organizationId, id }: Ref,
): Promise<InviteTable> {
  const row = await tx
    .selectFrom('invites')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw fault('invite-not-found', { id });
  if (row.processed_at !== null) throw fault('invite-processed', { id });
  return row;
}

function rowOf(invite: NewInvite): InviteTable {
  return {
    id: invite.id,
    organization_id: invite.organizationId,
    email: invite.email,
    email_key: emailKey(invite.email),
    expires_at: invite.expiresAt,
    processed_at: null,
    link_number: 1,
    created_at: invite.createdAt,
  };
}

function holder({ organizationId, id }: Ref) {
  return { organizationId, principal: { type: 'invite', id } as const };
}

function about({ organizationId, id }: Ref) {
  return { organizationId, resourceType: 'invite', resourceId: id };
}
