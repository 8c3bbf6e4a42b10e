// Namespace aliases in SQL.
import type { Kysely } from 'kysely';
import type { NamespaceAlias } from '../../domain/aliases/alias-model.ts';
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

    has: async (indexId, name) => {
      const row = await db
        .selectFrom('namespace_aliases')
        .select('name')
        .where('index_id', '=', indexId)
        .where('name', '=', name)
        .executeTakeFirst();
      return row !== undefined;
    },

    insert: (alias) =>
      db.transaction().execute(async (transaction) => {
        const index = await transaction
          .selectFrom('indexes')
          .select('id')
          .where('id', '=', alias.indexId)
          .executeTakeFirst();
        if (index === undefined) return 'index-gone';
        const result = await transaction
          .insertInto('namespace_aliases')
          .values({ index_id: alias.indexId, name: alias.name, ...changingColumns(alias) })
          .onConflict((conflict) => conflict.columns(['index_id', 'name']).doNothing())
          .executeTakeFirst();
        return result.numInsertedOrUpdatedRows === 1n ? 'stored' : 'name-taken';
      }),

    repoint: async (alias) => {
      const result = await db
        .updateTable('namespace_aliases')
        .set(changingColumns(alias))
        .where('index_id', '=', alias.indexId)
        .where('name', '=', alias.name)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    delete: async (indexId, name) => {
      await db
        .deleteFrom('namespace_aliases')
        .where('index_id', '=', indexId)
        .where('name', '=', name)
        .execute();
    },
  };
}

function changingColumns({ target, createdAt, updatedAt }: NamespaceAlias) {
  return { target, created_at: createdAt, updated_at: updatedAt };
}
