// Migration: finds the operations on the files of assistants that ended long ago.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const operationEnds: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const ends = db.schema.createIndex('assistant_operations_ends').on('assistant_operations');
    await ends.column('completed_at').execute();
  },
};
