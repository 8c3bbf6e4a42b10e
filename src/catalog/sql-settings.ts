// Settings of this installation in SQL.
import type { Kysely } from 'kysely';
import type { SettingStore } from './port.ts';
import type { CatalogSchema } from './schema.ts';

export function sqlSettings(db: Kysely<CatalogSchema>): SettingStore {
  return {
    get: async (name) => {
      const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
      return row?.value ?? null;
    },

    set: async (name, value) => {
      await db
        .insertInto('settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}
