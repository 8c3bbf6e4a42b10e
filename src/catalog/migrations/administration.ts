// Migration 0002: people, service accounts, roles, the audit log, and the keys that sign tokens.
import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

type Before = {
  api_keys: { id: string; project_id: string; created_at: string };
  projects: { id: string; organization_id: string };
  role_bindings: Record<string, string>;
};

async function widenTables({ schema }: Kysely<unknown>): Promise<void> {
  const projects = () => schema.alterTable('projects');
  await projects()
    .addColumn('max_pods', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await projects()
    .addColumn('force_encryption_with_cmek', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await projects().addColumn('deleted_at', 'text').execute();
  await schema
    .alterTable('api_keys')
    .addColumn('label', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}

async function createPrincipals({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text')
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('service_accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull().unique())
    .addColumn('secret_sha256', 'text', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
}

async function createInvites({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('invites')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('processed_at', 'text')
    .addColumn('link_number', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('invites_open')
    .unique()
    .on('invites')
    .columns(['organization_id', 'email_key'])
    .where(sql.ref('processed_at'), 'is', null)
    .execute();
}

async function createRoleBindings({ schema }: Kysely<unknown>): Promise<void> {
  const triple = ['principal_type', 'principal_id', 'resource_type', 'resource_id', 'role'] as const;
  await schema
    .createTable('role_bindings')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('principal_type', 'text', (column) => column.notNull())
    .addColumn('principal_id', 'text', (column) => column.notNull())
    .addColumn('resource_type', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('role_bindings_once', [...triple])
    .execute();
  const pages = schema.createIndex('role_bindings_pages').on('role_bindings');
  await pages.columns(['organization_id', 'created_at', 'id']).execute();
  const resources = schema.createIndex('role_bindings_resource').on('role_bindings');
  await resources.columns(['resource_type', 'resource_id']).execute();
}

async function createLogAndKeys({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('audit_entries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    // No foreign key: entries outlive their resources.
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('actor_type', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('resource_type', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('details', 'text', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .execute();
  const pages = schema.createIndex('audit_entries_pages').on('audit_entries');
  await pages.columns(['organization_id', 'at', 'id']).execute();
  const outcomes = schema.createIndex('audit_entries_outcome').on('audit_entries');
  await outcomes.columns(['outcome', 'at']).execute();
  await schema
    .createTable('signing_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
}

/** Before roles, keys had all rights on their project: they keep those of ProjectEditor. */
async function bindKeys(db: Kysely<Before>): Promise<void> {
  const keys = await db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .select(['api_keys.id', 'api_keys.project_id', 'api_keys.created_at', 'projects.organization_id'])
    .execute();
  for (const { id, project_id, organization_id, created_at } of keys) {
    const binding = {
      id: randomUUID(),
      organization_id,
      principal_type: 'api_key',
      principal_id: id,
      resource_type: 'project',
      resource_id: project_id,
      role: 'ProjectEditor',
      created_at,
    };
    await db.insertInto('role_bindings').values(binding).execute();
  }
}

export const administration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await widenTables(db);
    await createPrincipals(db);
    await createInvites(db);
    await createRoleBindings(db);
    await createLogAndKeys(db);
    await bindKeys(db.withTables<Before>());
  },
};
