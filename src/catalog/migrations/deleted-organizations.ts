// Migration 0008: organizations that are deleted while rows of their deleted projects still exist.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const deletedOrganizations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('organizations').addColumn('deleted_at', 'text').execute();
  },
};
