// The catalog over SQL: the same queries for every dialect that Kysely speaks.
import type { Kysely, Transaction } from 'kysely';
import { fault } from '../domain/faults.ts';
import type { Index } from '../domain/index-model.ts';
import { sqlAdministration } from './administration/sql-administration.ts';
import { sqlAssistants } from './assistants/sql-assistants.ts';
import { sqlAssistantFiles } from './assistants/sql-files.ts';
import { sqlOperations } from './assistants/sql-operations.ts';
import { sqlArchives } from './backups/archives.ts';
import { retireIndex } from './backups/retire-index.ts';
import { sqlSchedules } from './backups/schedules.ts';
import { sqlImportErrors } from './imports/sql-import-errors.ts';
import { indexOf, rowOf } from './index-row.ts';
import { sqlJobs } from './jobs/sql-jobs.ts';
import type {
  AdministrationStore,
  ArchiveStore,
  AssistantFileStore,
  AssistantStore,
  Catalog,
  ImportErrorStore,
  JobStore,
  OperationStore,
  PortGrant,
  ScheduleStore,
} from './port.ts';
import type { CatalogSchema } from './schema.ts';

/** Expects a migrated database; `close` destroys it. */
export class SqlCatalog implements Catalog {
  readonly administration: AdministrationStore;
  readonly jobs: JobStore;
  readonly archives: ArchiveStore;
  readonly schedules: ScheduleStore;
  readonly importErrors: ImportErrorStore;
  readonly assistants: AssistantStore;
  readonly assistantFiles: AssistantFileStore;
  readonly assistantOperations: OperationStore;
  readonly #db: Kysely<CatalogSchema>;

  constructor(db: Kysely<CatalogSchema>) {
    this.#db = db;
    this.administration = sqlAdministration(db);
    this.jobs = sqlJobs(db);
    this.archives = sqlArchives(db);
    this.schedules = sqlSchedules(db);
    this.importErrors = sqlImportErrors(db);
    this.assistants = sqlAssistants(db);
    this.assistantFiles = sqlAssistantFiles(db);
    this.assistantOperations = sqlOperations(db);
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

  async listIndexes(): Promise<readonly Index[]> {
    const rows = await this.#db.selectFrom('indexes').selectAll().orderBy('name').orderBy('id').execute();
    return rows.map(indexOf);
  }

  async insertIndex(index: Index): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      await requireLivingProject(transaction, index.projectId);
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
    await this.#db.transaction().execute((transaction) => replaceIndex(transaction, index));
  }

  async retireIndex(index: Index): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      await retireIndex(transaction, index, new Date().toISOString());
      await replaceIndex(transaction, index);
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

/** The key that asked was valid when the request came in; with its project it has died meanwhile. */
async function requireLivingProject(transaction: Transaction<CatalogSchema>, id: string): Promise<void> {
  const project = await transaction
    .selectFrom('projects')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (project === undefined) throw fault('unauthenticated');
}

async function replaceIndex(transaction: Transaction<CatalogSchema>, index: Index): Promise<void> {
  const { id, ...columns } = rowOf(index);
  const result = await transaction
    .updateTable('indexes')
    .set(columns)
    .where('id', '=', id)
    .executeTakeFirst();
  if (result.numUpdatedRows === 1n) await grantPort(transaction, index);
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
