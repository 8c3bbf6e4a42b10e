// Migration: what nodes still have on their disks, and does not answer: copies of moves, and what was taken over.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const nodeLeftovers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('node_leftovers')
      .addColumn('node_id', 'text', (column) => column.notNull())
      .addColumn('storage_id', 'text', (column) => column.notNull())
      .addColumn('job_id', 'text')
      .addColumn('part', 'text')
      .addColumn('since', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('node_leftovers_key', ['node_id', 'storage_id'])
      .execute();
  },
};
