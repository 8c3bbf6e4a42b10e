// Migration: the errors of bulk imports.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const imports: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    await schema
      .createTable('import_errors')
      // No foreign key: the jobs of imports have their own history.
      .addColumn('import_id', 'text', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('file', 'text', (column) => column.notNull())
      .addColumn('row', 'integer')
      .addColumn('record_id', 'text')
      .addColumn('reason', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('import_errors_key', ['import_id', 'number'])
      .execute();
  },
};
