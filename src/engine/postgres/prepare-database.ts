// Makes a database ready for records: pgvector, the schema, the table of indexes. Of several nodes, one does it at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { Fault } from '../../domain/faults.ts';
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import { outageOf } from '../../platform/postgres/outages.ts';
import { KEEPALIVES, setPath } from '../../platform/postgres/sessions.ts';
import { shareTables, whyNotSharded } from './citus.ts';
import type { Queryable } from './database.ts';
import { bringUpToDate, inTransaction } from './layouts.ts';
import { COMMON_TABLES, LAYOUT, SCHEMA } from './tables.ts';
import type { UpgradeOptions } from './upgrade-options.ts';

/** Older ones lack iterative scans. */
const PGVECTOR_MIN = [0, 8] as const;
const RETRY_MS = 500;
const ASKED_A_MESSAGE = 60;
/** What PostgreSQL reports where the extension's files are missing. */
const NO_EXTENSION = new Set(['0A000', '58P01']);
const NO_RIGHT = '42501';

/** Its message is half a sentence for who starts the server. */
class UnusableDatabase extends Error {}

/**
 * Safe to repeat, also after a part of it.
 * @param client a session that the caller closes, which ends its lock
 * @throws an error that `openingReason` explains
 */
export async function prepareDatabase(client: Queryable, options: UpgradeOptions): Promise<void> {
  await client.query(KEEPALIVES);
  await takeTurn(client, options);
  const written = await inTransaction(client, () => commonTables(client, options));
  // The session may not see a schema that another node was creating meanwhile: see open-postgres.ts of the catalog.
  await client.query(setPath(SCHEMA));
  if (written < LAYOUT) await bringUpToDate(client, written, options);
  if (options.shards === 'citus') await inTransaction(client, () => shareTables(client));
}

/** Asks again and again: a statement that waits for the lock would keep its holder from building indexes concurrently. */
async function takeTurn(client: Queryable, { onUpgrade }: UpgradeOptions): Promise<void> {
  for (let asked = 0; ; asked++) {
    const { rows } = await client.query<{ readonly isHeld: boolean }>(
      `select pg_try_advisory_lock(${ADVISORY_LOCKS.preparing}) as "isHeld"`,
    );
    if (rows[0]?.isHeld === true) return;
    if (asked % ASKED_A_MESSAGE === 0) onUpgrade({ waitsFor: 'another node prepares the database' });
    await sleep(RETRY_MS);
  }
}

/** Those of all indexes. @returns the version of the layout */
async function commonTables(client: Queryable, { shards }: UpgradeOptions): Promise<number> {
  const [found] = (
    await client.query<{ readonly layout: boolean }>(
      `select exists (select from pg_tables where schemaname = $1 and tablename = 'layout') as layout`,
      [SCHEMA],
    )
  ).rows;
  const { rows } = await client.query<{ readonly version: string }>(
    `select extversion as version from pg_extension where extname = 'vector'`,
  );
  const version = rows[0]?.version ?? null;
  if (version !== null && !isNewEnough(version))
    throw new UnusableDatabase(
      `pgvector ${PGVECTOR_MIN.join('.')} or newer is needed, not ${version}. Run there: alter extension vector update`,
    );
  if (found?.layout !== true) await client.query(COMMON_TABLES);
  const [layout] = (await client.query<{ readonly version: number }>(`select version from ${SCHEMA}.layout`))
    .rows;
  const written = layout?.version ?? LAYOUT;
  if (written > LAYOUT) throw new UnusableDatabase('a newer release of the server has written it');
  const unfit = await whyNotSharded(client, shards);
  if (unfit !== null) throw new UnusableDatabase(unfit);
  return written;
}

/** Half a sentence; null for errors that are no matter of the database. */
export function openingReason(error: unknown): string | null {
  if (error instanceof UnusableDatabase) return error.message;
  const cause = error instanceof Fault ? error.cause : error;
  if (cause instanceof DatabaseError) {
    const code = cause.code ?? '';
    if (NO_EXTENSION.has(code)) return 'pgvector is not installed on its server';
    if (code === NO_RIGHT)
      return 'the user may not make the schema or the extension. Run there as a superuser: create extension vector; and grant create on the database';
  }
  return outageOf(cause);
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > PGVECTOR_MIN[0] || (major === PGVECTOR_MIN[0] && minor >= PGVECTOR_MIN[1]);
}
