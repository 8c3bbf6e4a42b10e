// Migration: when the records of an index expire.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const timeToLive: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('indexes').addColumn('time_to_live', 'text').execute();
  },
};
