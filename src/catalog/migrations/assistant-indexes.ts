// Migration: the dense index of an assistant gets an id of its own, for files are embedded anew into another one.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const assistantIndexes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('assistants').addColumn('dense_index_id', 'text').execute();
  },
};
