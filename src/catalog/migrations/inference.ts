// Migration 0004: the embedding of integrated indexes and the source of their vectors.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const inference: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('indexes').addColumn('embed', 'text').execute();
  },
};
