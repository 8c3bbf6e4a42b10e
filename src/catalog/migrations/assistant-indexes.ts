// Migration: the dense index of an assistant gets its own id, since re-embedding writes to another index.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const assistantIndexes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('assistants').addColumn('dense_index_id', 'text').execute();
  },
};
