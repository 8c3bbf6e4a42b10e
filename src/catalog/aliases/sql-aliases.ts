// Namespace aliases in SQL.
import type { Kysely } from 'kysely';
import type { CatalogSchema } from '../schema.ts';
import type { AliasStore } from './port.ts';

export function sqlAliases(db: Kysely<CatalogSchema>): AliasStore {
  return {
    list: async (indexId) => {
      const rows = await db
        .selectFrom('namespace_aliases')
        .selectAll()
        .$if(indexId !== undefined, (query) => query.where('index_id', '=', indexId ?? ''))
        .orderBy('index_id')
        .orderBy('name')
        .execute();
      return rows.map((row) => ({
        indexId: row.index_id,
        name: row.name,
        target: row.target,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      }));
    },

    put: ({ indexId, name, target, createdAt, updatedAt }) =>
      db.transaction().execute(async (transaction) => {
        const index = await transaction
          .selectFrom('indexes')
          .select('id')
          .where('id', '=', indexId)
          .executeTakeFirst();
        if (index === undefined) return false;
        const changed = { target, created_at: createdAt, updated_at: updatedAt };
        await transaction
          .insertInto('namespace_aliases')
          .values({ index_id: indexId, name, ...changed })
          .onConflict((conflict) => conflict.columns(['index_id', 'name']).doUpdateSet(changed))
          .execute();
        return true;
      }),

    delete: async (indexId, name) => {
      await db
        .deleteFrom('namespace_aliases')
        .where('index_id', '=', indexId)
        .where('name', '=', name)
        .execute();
    },
  };
}
