// The catalog over SQL: the same queries for every dialect that Kysely speaks.
import type { Kysely, Transaction } from 'kysely';
import { fault } from '../domain/faults.ts';
import type { Index } from '../domain/index-model.ts';
import { indexOf, rowOf } from './index-row.ts';
import type { ApiKey, Catalog, Organization, PortGrant, Project } from './port.ts';
import type { CatalogSchema } from './schema.ts';

/** Expects a migrated database; `close` destroys it. */
export class SqlCatalog implements Catalog {
  readonly #db: Kysely<CatalogSchema>;

  constructor(db: Kysely<CatalogSchema>) {
    this.#db = db;
  }

  async getSetting(name: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst();
    return row?.value ?? null;
  }

  async setSetting(name: string, value: string): Promise<void> {
    await this.#db
      .insertInto('settings')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  }

  async listOrganizations(): Promise<readonly Organization[]> {
    const rows = await this.#db
      .selectFrom('organizations')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ id: row.id, name: row.name, createdAt: row.created_at }));
  }

  async insertOrganization({ id, name, createdAt }: Organization): Promise<void> {
    await this.#db.insertInto('organizations').values({ id, name, created_at: createdAt }).execute();
  }

  async listProjects(): Promise<readonly Project[]> {
    const rows = await this.#db
      .selectFrom('projects')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(({ id, organization_id, name, created_at }) => ({
      id,
      organizationId: organization_id,
      name,
      createdAt: created_at,
    }));
  }

  async insertProject({ id, organizationId, name, createdAt }: Project): Promise<void> {
    const row = { id, organization_id: organizationId, name, created_at: createdAt };
    await this.#db.insertInto('projects').values(row).execute();
  }

  async listApiKeys(): Promise<readonly ApiKey[]> {
    const rows = await this.#db
      .selectFrom('api_keys')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(({ id, project_id, name, sha256, created_at }) => ({
      id,
      projectId: project_id,
      name,
      sha256,
      createdAt: created_at,
    }));
  }

  async insertApiKey({ id, projectId, name, sha256, createdAt }: ApiKey): Promise<void> {
    const row = { id, project_id: projectId, name, sha256, created_at: createdAt };
    await this.#db.insertInto('api_keys').values(row).execute();
  }

  async deleteApiKey(id: string): Promise<void> {
    await this.#db.deleteFrom('api_keys').where('id', '=', id).execute();
  }

  async listIndexes(): Promise<readonly Index[]> {
    const rows = await this.#db.selectFrom('indexes').selectAll().orderBy('name').orderBy('id').execute();
    return rows.map(indexOf);
  }

  async insertIndex(index: Index): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      const result = await transaction
        .insertInto('indexes')
        .values(rowOf(index))
        .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows !== 1n) throw fault('name-taken');
      await grantPort(transaction, index);
    });
  }

  async updateIndex(index: Index): Promise<void> {
    const { id, ...columns } = rowOf(index);
    await this.#db.transaction().execute(async (transaction) => {
      const result = await transaction
        .updateTable('indexes')
        .set(columns)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numUpdatedRows === 1n) await grantPort(transaction, index);
    });
  }

  async deleteIndex(id: string): Promise<void> {
    await this.#db.deleteFrom('indexes').where('id', '=', id).execute();
  }

  async listPortGrants(): Promise<readonly PortGrant[]> {
    const rows = await this.#db.selectFrom('port_grants').selectAll().orderBy('turn').execute();
    return rows.map((row) => ({ port: row.port, projectId: row.project_id, indexName: row.index_name }));
  }

  async close(): Promise<void> {
    // A connection is only handed out when earlier work has returned it: nothing is cut off.
    await this.#db.connection().execute(() => Promise.resolve());
    await this.#db.destroy();
  }
}

async function grantPort(transaction: Transaction<CatalogSchema>, index: Index): Promise<void> {
  if (index.port === null) return;
  const owner = { project_id: index.projectId, index_name: index.name };
  const held = await transaction
    .selectFrom('port_grants')
    .selectAll()
    .where('port', '=', index.port)
    .executeTakeFirst();
  if (held?.project_id === owner.project_id && held.index_name === owner.index_name) return;
  const last = await transaction
    .selectFrom('port_grants')
    .select(({ fn }) => fn.max('turn').as('turn'))
    .executeTakeFirst();
  const grant = { ...owner, turn: Number(last?.turn ?? 0) + 1 };
  await transaction
    .insertInto('port_grants')
    .values({ port: index.port, ...grant })
    .onConflict((conflict) => conflict.column('port').doUpdateSet(grant))
    .execute();
}
