// Migration: the schema of document indexes.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const documentSchemas: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('indexes').addColumn('documents', 'text').execute();
  },
};
