// Opens the embedded catalog: one SQLite file, migrated, owned by this process alone.
import { Kysely } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import { catalogMigrations, type MigrationsListener, tellMigrations } from '../migrations.ts';
import type { ReadCatalogPages } from '../pages.ts';
import type { Catalog } from '../port.ts';
import { CatalogOpenError } from '../port.ts';
import type { CatalogSchema } from '../schema.ts';
import { SqlCatalog } from '../sql-catalog.ts';
import { openingError } from './database-errors.ts';
import { DatabaseThread, type DeathListener } from './database-thread.ts';
import { workerDialect } from './worker-dialect.ts';

export interface OpenCatalogOptions {
  /** The database file, created when absent. Its folder must exist. */
  readonly path: string;
  /** Called with the names of migrations that were run, if any. */
  readonly onMigrated?: MigrationsListener | undefined;
  /** Called when its thread has died: the process has no catalog any more. */
  readonly onDeath?: DeathListener | undefined;
  /** Only tests pass others. */
  readonly migrations?: MigrationProvider;
}

/** @throws CatalogOpenError when the file is in use, damaged, inaccessible or of a newer release */
export async function openCatalog(options: OpenCatalogOptions): Promise<Catalog> {
  const { db, thread } = await open(options);
  // Between transactions, which have the only connection to themselves.
  const pages: ReadCatalogPages = (known) => db.connection().execute(() => thread.pages({ known }));
  return new SqlCatalog(db, { pages });
}

/** Its tables. @throws as `openCatalog` */
export async function openSqlite(options: OpenCatalogOptions): Promise<Kysely<CatalogSchema>> {
  return (await open(options)).db;
}

async function open({ path, onMigrated, onDeath, migrations = catalogMigrations }: OpenCatalogOptions) {
  const thread = await DatabaseThread.open(path, onDeath);
  const db = new Kysely<CatalogSchema>({ dialect: workerDialect(thread) });
  const { error, results } = await new Migrator({ db, provider: migrations }).migrateToLatest();
  if (error !== undefined) {
    await db.destroy();
    throw migrationError(path, error);
  }
  try {
    await thread.protect();
  } catch (error) {
    await db.destroy();
    throw openingError(path, error);
  }
  tellMigrations(results, onMigrated);
  return { db, thread };
}

function migrationError(path: string, error: unknown): CatalogOpenError {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.startsWith('corrupted migrations')
    ? new CatalogOpenError(
        'newer',
        `${path} was written by a newer release of the server (${reason}); start that one, or restore the copy from before the upgrade.`,
        error,
      )
    : new CatalogOpenError('unusable', `${path} could not be migrated: ${reason}.`, error);
}
