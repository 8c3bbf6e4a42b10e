// Migration: when the last index at a port was deleted.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const retiredPorts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('port_grants').addColumn('retired_at', 'text').execute();
  },
};
