// Migration: judgment sets.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const judgmentSets: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('judgment_sets')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('index_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('namespace', 'text', (column) => column.notNull())
      .addColumn('questions', 'text', (column) => column.notNull())
      .addColumn('question_count', 'integer', (column) => column.notNull())
      .addColumn('judgment_count', 'integer', (column) => column.notNull())
      .addColumn('scores', 'text', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('judgment_sets_of_index')
      .on('judgment_sets')
      .columns(['index_id', 'name', 'id'])
      .execute();
  },
};
