// Migration: jobs, archives of indexes (backups and collections) and backup schedules.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

async function createJobs({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('jobs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    // No foreign key: the history of a job outlives its subject.
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('index_id', 'text')
    .addColumn('subject', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('percent', 'real', (column) => column.notNull())
    .addColumn('input', 'text', (column) => column.notNull())
    .addColumn('progress', 'text')
    .addColumn('error', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('cancelled', 'integer', (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', 'text')
    .addColumn('due_at', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .execute();
  const pages = schema.createIndex('jobs_pages').on('jobs');
  await pages.columns(['project_id', 'kind', 'created_at', 'id']).execute();
  await schema.createIndex('jobs_state').on('jobs').columns(['state', 'due_at']).execute();
}

async function createArchives({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('archives')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('face', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text')
    .addColumn('description', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('source_index_id', 'text', (column) => column.notNull())
    .addColumn('source_index_name', 'text', (column) => column.notNull())
    .addColumn('source_deleted_at', 'text')
    .addColumn('record_count', 'integer', (column) => column.notNull())
    .addColumn('namespace_count', 'integer', (column) => column.notNull())
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('manifest_sha256', 'text')
    .addColumn('schedule_id', 'text')
    .addColumn('scheduled_at', 'text')
    .addColumn('expires_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  const pages = schema.createIndex('archives_pages').on('archives');
  await pages.columns(['project_id', 'face', 'created_at', 'id']).execute();
  await schema.createIndex('archives_source').on('archives').columns(['source_index_id']).execute();
  await schema
    .createIndex('archives_collection_names')
    .unique()
    .on('archives')
    .columns(['project_id', 'name'])
    .where(sql.ref('face'), '=', sql.lit('collection'))
    .execute();
}

async function createSchedules({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('backup_schedules')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('index_id', 'text', (column) => column.notNull().references('indexes.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('frequency', 'text', (column) => column.notNull())
    .addColumn('retention_days', 'integer', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('anchor_at', 'text', (column) => column.notNull())
    .addColumn('next_run_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('backup_schedules_enabled')
    .unique()
    .on('backup_schedules')
    .columns(['index_id'])
    .where(sql.ref('enabled'), '=', sql.lit(1))
    .execute();
}

export const jobs: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await createJobs(db);
    await createArchives(db);
    await createSchedules(db);
  },
};
