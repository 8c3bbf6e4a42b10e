// Migration: assistants, their files with revisions, and operations.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

async function createAssistants({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('assistants')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('instructions', 'text')
    .addColumn('metadata', 'text')
    .addColumn('region', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('models', 'text', (column) => column.notNull())
    .addColumn('sparse_index_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('assistants_names', ['project_id', 'name'])
    .execute();
  const pages = schema.createIndex('assistants_pages').on('assistants');
  await pages.columns(['project_id', 'created_at', 'id']).execute();
}

async function createFiles({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('assistant_files')
    .addColumn('assistant_id', 'text', (column) => column.notNull().references('assistants.id'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text')
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('multimodal', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('percent', 'real', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('revision_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('assistant_files_ids', ['assistant_id', 'id'])
    .execute();
  const pages = schema.createIndex('assistant_files_pages').on('assistant_files');
  await pages.columns(['assistant_id', 'created_at', 'id']).execute();
}

async function createRevisions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('assistant_revisions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('assistant_id', 'text', (column) => column.notNull().references('assistants.id'))
    .addColumn('file_id', 'text', (column) => column.notNull())
    .addColumn('operation_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text')
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('multimodal', 'integer', (column) => column.notNull())
    .addColumn('processing', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  const files = schema.createIndex('assistant_revisions_files').on('assistant_revisions');
  await files.columns(['assistant_id', 'file_id']).execute();
  // Two concurrent uploads must not both answer.
  await schema
    .createIndex('assistant_revisions_live')
    .unique()
    .on('assistant_revisions')
    .columns(['assistant_id', 'file_id'])
    .where(sql.ref('state'), '=', sql.lit('live'))
    .execute();
}

async function createOperations({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('assistant_operations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('assistant_id', 'text', (column) => column.notNull().references('assistants.id'))
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('file_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('percent', 'real', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('ingestion_units', 'real')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('completed_at', 'text')
    .execute();
  const pages = schema.createIndex('assistant_operations_pages').on('assistant_operations');
  await pages.columns(['assistant_id', 'created_at', 'id']).execute();
}

export const assistants: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await createAssistants(db);
    await createFiles(db);
    await createRevisions(db);
    await createOperations(db);
  },
};
