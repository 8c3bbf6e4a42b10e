// Migration: the storage of an index whose model was changed, and the vectors of another model beside those that answer.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const modelChanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('indexes').addColumn('storage_id', 'text').execute();
    await db.schema.alterTable('indexes').addColumn('model_change', 'text').execute();
  },
};
