// Passwords of people in SQL, one for each organization: whoever may invite a person to one organization must not be
// able to sign in as that person to another.
import { emailKey } from '../../domain/administration/names.ts';
import { fault, invalid } from '../../domain/faults.ts';
import type { ChangeRunner } from '../change-runner.ts';
import { hasGroupRoles } from './identities.ts';
import { membersOf } from './members.ts';
import { endTokens } from './memberships.ts';
import type { PasswordStore } from './port.ts';

export function sqlPasswords(runner: ChangeRunner): PasswordStore {
  return {
    find: async ({ email, organizationId }) => {
      let query = runner.db
        .selectFrom('passwords')
        .innerJoin('users', 'users.id', 'passwords.user_id')
        .select(['passwords.user_id', 'passwords.organization_id', 'passwords.hash', 'users.generation'])
        .where('users.email_key', '=', emailKey(email));
      if (organizationId !== null) query = query.where('passwords.organization_id', '=', organizationId);
      const row = await query.orderBy('passwords.created_at').limit(1).executeTakeFirst();
      const ref = { organizationId: row?.organization_id ?? '', id: row?.user_id ?? '' };
      // Asked about nobody, too, so that the answer takes the same time.
      const isByGroups = await hasGroupRoles(runner.db, ref);
      if (row === undefined) return null;
      return {
        userId: ref.id,
        organizationId: ref.organizationId,
        hash: row.hash,
        generation: row.generation,
        hasGroupRoles: isByGroups,
      };
    },

    set: ({ organizationId, id }, { hash, former }, by) =>
      runner.run(by, async (change) => {
        const { tx, audit, now } = change;
        const member = await membersOf(tx, organizationId).where('users.id', '=', id).executeTakeFirst();
        if (member === undefined) throw fault('user-not-found', { id });
        if (await hasGroupRoles(tx, { organizationId, id })) {
          throw invalid(
            'Groups at the OpenID provider give you roles: sign in there, without a password here',
          );
        }
        const stored = await tx
          .selectFrom('passwords')
          .select('hash')
          .where('user_id', '=', id)
          .where('organization_id', '=', organizationId)
          .executeTakeFirst();
        // Another change came first, and has ended the token of this one.
        if ((stored?.hash ?? null) !== former) throw fault('unauthenticated');
        await tx
          .insertInto('passwords')
          .values({ user_id: id, organization_id: organizationId, hash, created_at: now })
          .onConflict((conflict) => conflict.columns(['user_id', 'organization_id']).doUpdateSet({ hash }))
          .execute();
        // Whoever had a token before must sign in again.
        const generation = await endTokens(change, id);
        const details = { email: member.email };
        audit({ organizationId, resourceType: 'user', resourceId: id, action: 'user.set_password', details });
        return generation;
      }),
  };
}
