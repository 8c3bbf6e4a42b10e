// Migration: identities of people at OpenID providers.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const identities: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('identities')
      .addColumn('issuer', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('granted', 'text', (column) => column.notNull())
      .addColumn('removed_at', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('signed_in_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('identities_key', ['issuer', 'subject'])
      .execute();
    await db.schema.createIndex('identities_of_user').on('identities').columns(['user_id']).execute();
  },
};
