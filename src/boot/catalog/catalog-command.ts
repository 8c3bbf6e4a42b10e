// pinyon catalog copy: moves the catalog of a stopped server between its data directory and PostgreSQL.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { type CopiedTable, CopyProblem, copyCatalog } from '../../catalog/copy-catalog.ts';
import type { CatalogSchema } from '../../catalog/schema.ts';
import { sqlSettings } from '../../catalog/sql-settings.ts';
import { logEndPath } from '../../catalog/sqlite/log-end.ts';
import { openSqlite } from '../../catalog/sqlite/open-catalog.ts';
import { sumsPath } from '../../catalog/sqlite/page-sums.ts';
import { CliProblem, EXIT_DONE, EXIT_FAILED, type Io, type ParsedWords } from '../../cli/command.ts';
import { print } from '../../cli/terminal/print.ts';
import { assertOwner } from '../assert-owner.ts';
import { CATALOG_FILE } from '../data-dir.ts';
import { readSettings } from '../read-settings.ts';
import type { Settings } from '../settings.ts';
import {
  assertNotMarked,
  hasOwnCatalog,
  isMarked,
  joinDirectory,
  markDirectory,
  removeMark,
} from './catalog-mark.ts';
import { engineOf } from './engine-mark.ts';

const MOVED = '.moved';
const LOGS = ['-wal', '-shm'];

type Place = Pick<Settings, 'dataDir' | 'databaseConnections'> & { readonly databaseUrl: string };

export async function copyTheCatalog(words: ParsedWords, io: Io): Promise<number> {
  const to = words.text('to');
  const { databaseUrl, ...settings } = readSettings(io.environment);
  if (databaseUrl === null) throw new CliProblem('Set PINYON_DATABASE_URL to the database on PostgreSQL.');
  assertOwner(settings.dataDir);
  const place = { ...settings, databaseUrl };
  const tables = await (to === 'postgres' ? copyToPostgres(place) : copyToSqlite(place));
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const next =
    to === 'postgres'
      ? 'Start the server with PINYON_DATABASE_URL.'
      : 'Start the server without PINYON_DATABASE_URL.';
  print(words, io, {
    json: { to, rows, tables },
    text: `Copied ${rows} rows of ${tables.length} tables; counts and contents are the same. ${next}`,
  });
  return EXIT_DONE;
}

/** The mark comes last but one: without it, the directory's own catalog is the one that counts. */
async function copyToPostgres(place: Place): Promise<readonly CopiedTable[]> {
  const { dataDir } = place;
  const path = join(dataDir, CATALOG_FILE);
  assertNotMarked(dataDir);
  if (!hasOwnCatalog(dataDir)) throw new CliProblem(`There is no catalog at ${path}. Set PINYON_DATA_DIR.`);
  const source = await openSqlite({ path });
  try {
    return await withPostgres(place, async (db) => {
      const copied = await copyRows(source, db);
      await markDirectory(sqlSettings(db), dataDir);
      return copied;
    });
  } finally {
    await source.destroy();
    if (isMarked(dataDir)) moveAside(path);
  }
}

async function copyToSqlite(place: Place): Promise<readonly CopiedTable[]> {
  const { dataDir } = place;
  const path = join(dataDir, CATALOG_FILE);
  const part = `${path}.part`;
  if (!isMarked(dataDir)) throw new CliProblem(`The catalog of ${dataDir} is not on PostgreSQL.`);
  const tables = await withPostgres(place, async (db) => {
    if ((await engineOf({ settings: sqlSettings(db) })) === 'postgres')
      throw new CliProblem('The records of its indexes are on PostgreSQL, too: the catalog must stay there.');
    await joinDirectory({ settings: sqlSettings(db) }, dataDir);
    for (const file of filesOf(part)) rmSync(file, { force: true });
    const target = await openSqlite({ path: part });
    try {
      return await copyRows(db, target);
    } finally {
      await target.destroy();
    }
  });
  moveAside(path);
  // Its checksums are written when it is opened.
  for (const beside of [sumsPath(part), logEndPath(part)]) rmSync(beside, { force: true });
  renameSync(part, path);
  removeMark(dataDir);
  return tables;
}

async function copyRows(
  from: Kysely<CatalogSchema>,
  to: Kysely<CatalogSchema>,
): Promise<readonly CopiedTable[]> {
  try {
    return await copyCatalog(from, to);
  } catch (error) {
    if (error instanceof CopyProblem)
      throw new CliProblem(
        `Nothing was copied: ${error.message}. Empty it first: drop schema pinyon cascade.`,
      );
    throw error;
  }
}

/** Keeps servers out meanwhile. */
async function withPostgres<Value>(
  { databaseUrl: url, databaseConnections: connectionsMax }: Place,
  work: (db: Kysely<CatalogSchema>) => Promise<Value>,
): Promise<Value> {
  const { openPostgres } = await import('../../catalog/postgres/open-postgres.ts');
  const { becomeSingleNode } = await import('../../catalog/postgres/single-node.ts');
  const { db } = await openPostgres({ url, connectionsMax, waitMs: 0 });
  try {
    const node = await becomeSingleNode({ url, waitMs: 0, onLost: () => process.exit(EXIT_FAILED) });
    try {
      return await work(db);
    } finally {
      await node.close();
    }
  } finally {
    await db.destroy();
  }
}

function moveAside(path: string): void {
  for (const file of filesOf(path)) if (existsSync(file)) renameSync(file, `${file}${MOVED}`);
}

function filesOf(path: string): readonly string[] {
  return [path, sumsPath(path), logEndPath(path), ...LOGS.map((suffix) => `${path}${suffix}`)];
}
