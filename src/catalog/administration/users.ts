// Users in SQL: a binding in an organization makes a person its member.
import { emailKey } from '../../domain/administration/names.ts';
import { fault } from '../../domain/faults.ts';
import type { ChangeRunner } from '../change-runner.ts';
import { bindingsOf, takeBindings } from './bindings.ts';
import { closeIdentities } from './identities.ts';
import { membersOf } from './members.ts';
import { endTokens, REMOVAL } from './memberships.ts';
import { byCreation, isAfter } from './page-of.ts';
import type { UserStore } from './port.ts';
import { userOf } from './rows.ts';

export function sqlUsers(runner: ChangeRunner): UserStore {
  return {
    list: async (organizationId, { email, ...page }) => {
      let query = membersOf(runner.db, organizationId);
      if (email !== undefined) query = query.where('email_key', '=', emailKey(email));
      const rows = await query
        .where(isAfter('users', page))
        .orderBy('users.created_at')
        .orderBy('users.id')
        .limit(page.limit + 1)
        .execute();
      return byCreation(rows.map(userOf), page.limit);
    },

    find: async ({ organizationId, id }) => {
      const row = await membersOf(runner.db, organizationId).where('users.id', '=', id).executeTakeFirst();
      return row === undefined ? null : userOf(row);
    },

    remove: ({ organizationId, id }, by) =>
      runner.run(by, async (change) => {
        const member = await membersOf(change.tx, organizationId)
          .where('users.id', '=', id)
          .executeTakeFirst();
        if (member === undefined) throw fault('user-not-found', { id });
        const principal = { type: 'user', id } as const;
        await takeBindings(change, await bindingsOf(change.tx, { organizationId, principal }));
        await closeIdentities(change, { organizationId, id });
        const details = { email: member.email };
        change.audit({
          organizationId,
          resourceType: 'user',
          resourceId: id,
          action: REMOVAL,
          details,
        });
      }),

    endSessions: ({ organizationId, id }, by) =>
      runner.run(by, async (change) => {
        const { tx, audit } = change;
        const member = await membersOf(tx, organizationId).where('users.id', '=', id).executeTakeFirst();
        if (member === undefined) throw fault('user-not-found', { id });
        await endTokens(change, id);
        const details = { email: member.email };
        audit({ organizationId, resourceType: 'user', resourceId: id, action: 'user.end_sessions', details });
      }),
  };
}
