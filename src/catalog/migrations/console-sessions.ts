// Migration: sessions of the console that several nodes share.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const consoleSessions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('console_sessions')
      .addColumn('cookie_sha256', 'text', (column) => column.primaryKey())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('last_used_at', 'integer', (column) => column.notNull())
      .execute();
  },
};
