// Opens the catalog's database on PostgreSQL: waits for a server that is starting, and migrates the tables.
import { setTimeout as sleep } from 'node:timers/promises';
import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import type { Pool } from 'pg';
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import { outageOf } from '../../platform/postgres/outages.ts';
import { openPool, placeOf, setPath } from '../../platform/postgres/sessions.ts';
import { DatabaseClock } from '../catalog-clock.ts';
import { catalogMigrations, type MigrationsListener, tellMigrations } from '../migrations.ts';
import { CatalogOpenError } from '../port.ts';
import type { CatalogSchema } from '../schema.ts';
import { SCHEMA, watchTables } from './change-topics.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { openingError } from './postgres-errors.ts';

/** How long a start waits for a server that is starting, too. */
const WAIT_MS = 60_000;
const RETRY_MS = 1_000;
/** The oldest release that the suite has run on. */
const VERSION_MIN = 15;
const VERSION_FACTOR = 10_000;
const MIGRATION_MS = 600_000;
/** SQLite finds nothing in an empty list; PostgreSQL refuses one. */
const EMPTY_LISTS = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });

export interface OpenPostgresOptions {
  readonly url: string;
  readonly connectionsMax: number;
  /** As of `openPool`. */
  readonly idleInTransactionMs?: number;
  /** Called while the start waits, with the reason. */
  readonly onWait?: (reason: string) => void;
  readonly waitMs?: number;
  /** Called with the names of migrations that were run, if any. */
  readonly onMigrated?: MigrationsListener | undefined;
  /** Called when a change may have been committed, although it fails. */
  readonly onUnconfirmed?: () => void;
  /** Only tests pass others. */
  readonly migrations?: MigrationProvider;
}

export interface PostgresDatabase {
  /** Ends the connections of both when it is destroyed. */
  readonly db: Kysely<CatalogSchema>;
  /** Changes of rows that have one writer: they wait for no other change. */
  readonly beside: Kysely<CatalogSchema>;
  readonly clock: DatabaseClock;
}

/** @throws CatalogOpenError when the database cannot be used, or a newer release has written it */
export async function openPostgres(options: OpenPostgresOptions): Promise<PostgresDatabase> {
  await migrate(options);
  const clock = new DatabaseClock();
  const { onUnconfirmed } = options;
  const parts = {
    pool: openPool({ ...options, schema: SCHEMA }),
    clock,
    ...(onUnconfirmed && { onUnconfirmed }),
  };
  const open = (changes: 'in turn' | 'beside') =>
    new Kysely<CatalogSchema>({
      dialect: postgresDialect({ ...parts, changes }),
      plugins: [EMPTY_LISTS],
    });
  return { db: open('in turn'), beside: open('beside'), clock };
}

/** With one connection, which holds a lock to its end, and time for long statements: one node migrates at a time. */
async function migrate(options: OpenPostgresOptions): Promise<void> {
  const { url, migrations = catalogMigrations } = options;
  const place = placeOf(url);
  const pool = openPool({ url, schema: SCHEMA, connectionsMax: 1, statementMs: MIGRATION_MS });
  const db = new Kysely<CatalogSchema>({ dialect: postgresDialect({ pool, clock: new DatabaseClock() }) });
  try {
    checkServer(await whenReady(pool, options), place);
    await pool.query(`select pg_advisory_lock(${ADVISORY_LOCKS.migrating})`);
    await createSchema(pool);
    const { error, results } = await new Migrator({ db, provider: migrations }).migrateToLatest();
    if (error !== undefined) throw migrationError(place, error);
    tellMigrations(results, options.onMigrated);
    await watchTables(pool);
  } catch (error) {
    throw openingError(place, error);
  } finally {
    await db.destroy();
  }
}

function checkServer({ version, encoding, isRecovering }: ServerState, place: string): void {
  const unusable = (reason: string) =>
    new CatalogOpenError('unusable', `the database ${place} cannot be used: ${reason}.`);
  if (Math.floor(version / VERSION_FACTOR) < VERSION_MIN)
    throw unusable(`PostgreSQL ${VERSION_MIN} or newer is needed, not ${version / VERSION_FACTOR}`);
  if (encoding !== 'UTF8') throw unusable(`its encoding must be UTF8, not ${encoding}`);
  if (isRecovering) throw unusable('it is a standby, which is read-only');
}

/**
 * A user that may not create schemas can use one that the administrator has made.
 *
 * Sets the path of this connection again: a session that worked it out while another one was creating the schema may go
 * on without the schema for as long as it lives (seen in PostgreSQL 15: `current_schemas` leaves it out, and the tables
 * that the catalogs list are not found by their names).
 */
async function createSchema(pool: Pool): Promise<void> {
  const { rows } = await pool.query('select from pg_namespace where nspname = $1', [SCHEMA]);
  if (rows.length === 0) await pool.query(`create schema ${SCHEMA}`);
  await pool.query(setPath(SCHEMA));
}

interface ServerState {
  readonly version: number;
  readonly encoding: string;
  readonly isRecovering: boolean;
}

async function whenReady(
  pool: Pool,
  { onWait, waitMs = WAIT_MS }: OpenPostgresOptions,
): Promise<ServerState> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      const { rows } = await pool.query<ServerState>(
        `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
           pg_is_in_recovery() as "isRecovering"`,
      );
      const [state] = rows;
      if (state !== undefined) return state;
    } catch (error) {
      const reason = outageOf(error);
      if (reason === null || performance.now() > until) throw error;
      onWait?.(reason);
    }
    await sleep(RETRY_MS);
  }
}

function migrationError(place: string, error: unknown): unknown {
  const reason = error instanceof Error ? error.message : String(error);
  if (reason.startsWith('corrupted migrations'))
    return new CatalogOpenError(
      'newer',
      `the database ${place} was written by a newer release of the server: ${reason}.`,
      error,
    );
  if (outageOf(error) !== null) return error;
  return new CatalogOpenError('unusable', `the database ${place} could not be migrated: ${reason}.`, error);
}
