// Migration 0001: settings, organizations, projects, keys, indexes and the ports given to them.
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const foundation: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const { schema } = db;
    await schema
      .createTable('settings')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createTable('organizations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createTable('projects')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
    await schema
      .createTable('indexes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('vector_type', 'text', (column) => column.notNull())
      .addColumn('metric', 'text', (column) => column.notNull())
      .addColumn('dimension', 'integer')
      .addColumn('deployment', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('deletion_protection', 'text', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('port', 'integer', (column) => column.unique())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('indexes_project_name', ['project_id', 'name'])
      .execute();
    await schema
      .createTable('port_grants')
      .addColumn('port', 'integer', (column) => column.primaryKey())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('index_name', 'text', (column) => column.notNull())
      .addColumn('turn', 'integer', (column) => column.notNull())
      .execute();
  },
};
