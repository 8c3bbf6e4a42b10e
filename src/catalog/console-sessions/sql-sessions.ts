// Sessions of the console in SQL.
import type { Kysely } from 'kysely';
import type { CatalogSchema } from '../schema.ts';
import type { SessionStore } from './port.ts';

export function sqlSessions(db: Kysely<CatalogSchema>): SessionStore {
  return {
    list: async () => {
      const rows = await db.selectFrom('console_sessions').selectAll().orderBy('last_used_at').execute();
      return rows.map(({ cookie_sha256: cookieSha256, content, last_used_at: lastUsedAt }) => ({
        ...{ cookieSha256, content, lastUsedAt },
      }));
    },

    save: ({ opened, used, ended }) =>
      db.transaction().execute(async (transaction) => {
        for (const { cookieSha256, content, lastUsedAt } of opened)
          await transaction
            .insertInto('console_sessions')
            .values({ cookie_sha256: cookieSha256, content, last_used_at: lastUsedAt })
            .onConflict((conflict) => conflict.column('cookie_sha256').doNothing())
            .execute();
        for (const { cookieSha256, lastUsedAt } of used)
          await transaction
            .updateTable('console_sessions')
            .set({ last_used_at: lastUsedAt })
            .where('cookie_sha256', '=', cookieSha256)
            .where('last_used_at', '<', lastUsedAt)
            .execute();
        for (const cookieSha256 of ended)
          await transaction
            .deleteFrom('console_sessions')
            .where('cookie_sha256', '=', cookieSha256)
            .execute();
      }),
  };
}
