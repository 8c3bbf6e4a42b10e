// Migration: aliases of namespaces.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const namespaceAliases: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('namespace_aliases')
      .addColumn('index_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('namespace_aliases_key', ['index_id', 'name'])
      .execute();
  },
};
