// Migration: the memory profile of an index.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const memoryProfile: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('indexes').addColumn('memory_profile', 'text').execute();
  },
};
