// Migration: nodes with records of their own, and which of them has each index and each assistant.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const nodes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('nodes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('release', 'text', (column) => column.notNull())
      .addColumn('incarnation', 'text', (column) => column.notNull())
      .addColumn('lease_until', 'text', (column) => column.notNull())
      .addColumn('seen_at', 'text', (column) => column.notNull())
      .addColumn('memory_free_bytes', 'integer', (column) => column.notNull())
      .addColumn('disk_free_bytes', 'integer', (column) => column.notNull())
      .addColumn('is_draining', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('placements')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('node_id', 'text', (column) => column.notNull())
      .addColumn('epoch', 'integer', (column) => column.notNull())
      .addColumn('is_held', 'integer', (column) => column.notNull())
      .addColumn('copy_node_id', 'text')
      .addColumn('copy_storage_id', 'text')
      .addColumn('is_copy_condemned', 'integer', (column) => column.notNull())
      .execute();
  },
};
