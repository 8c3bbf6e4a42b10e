// Makes a database ready for records: pgvector, the schema, the table of indexes. Nodes may do it at the same time.
import { DatabaseError } from 'pg';
import { Fault } from '../../domain/faults.ts';
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import { outageOf } from '../../platform/postgres/outages.ts';
import { setPath } from '../../platform/postgres/sessions.ts';
import { shareTables, whyNotSharded } from './citus.ts';
import type { Queryable } from './database.ts';
import { bringUpToDate } from './layouts.ts';
import type { Shards } from './shards.ts';
import { COMMON_TABLES, LAYOUT, SCHEMA } from './tables.ts';

/** Older ones lack iterative scans. */
const PGVECTOR_MIN = [0, 8] as const;
/** What PostgreSQL reports where the extension's files are missing. */
const NO_EXTENSION = new Set(['0A000', '58P01']);
const NO_RIGHT = '42501';

/** Its message is half a sentence for who starts the server. */
class UnusableDatabase extends Error {}

/** Safe to repeat, within one transaction. @throws an error that `openingReason` explains */
export async function prepareDatabase(client: Queryable, shards: Shards): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${ADVISORY_LOCKS.preparing})`);
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
  if (written < LAYOUT) await bringUpToDate(client, written);
  const unfit = await whyNotSharded(client, shards);
  if (unfit !== null) throw new UnusableDatabase(unfit);
  if (shards === 'citus') await shareTables(client);
  // The session may not see a schema that another node was creating meanwhile: see open-postgres.ts of the catalog.
  await client.query(setPath(SCHEMA));
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
