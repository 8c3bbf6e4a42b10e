// Migration: passwords of people, one for each organization they are members of.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const passwords: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('passwords')
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('passwords_key', ['user_id', 'organization_id'])
      .execute();
  },
};
