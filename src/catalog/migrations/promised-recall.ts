// Migration: the recall that an index promises.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const promisedRecall: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('indexes').addColumn('promised_recall', 'double precision').execute();
  },
};
