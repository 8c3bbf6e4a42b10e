// The thread that owns the SQLite connection, so that no disk write ever blocks the main thread.
import { closeSync, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { serveParent } from '../../platform/worker-channel/serve-parent.ts';
import { SQLITE_CODEC } from './database-errors.ts';
import type { DatabaseMethods, Query, QueryRows } from './database-methods.ts';
import { catalogProblem, saveCatalogSums } from './page-sums.ts';

const CORRUPT = 11;
const IN_MEMORY = ':memory:';
/** The log is checkpointed when it is longer, as by default in SQLite. */
const LOG_BYTES_MAX = 4 * 2 ** 20;

/**
 * Opens the file for this process alone. WAL with FULL makes a commit one flush to disk;
 * the empty transaction takes the lock now rather than at the first query.
 */
function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 0 });
  database.exec('pragma locking_mode = exclusive');
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = full');
  database.exec('begin immediate; commit');
  if (path !== IN_MEMORY) {
    sumsOf = { path, fd: openSync(path, 'r') };
    const problem = catalogProblem(path, sumsOf.fd);
    if (problem !== null) throw corrupted(problem);
  }
  const check = database.prepare('pragma quick_check(1)').get()?.quick_check;
  if (check !== 'ok') throw corrupted(String(check));
  // Checkpoints go with the checksums of what they wrote.
  database.exec('pragma wal_autocheckpoint = 0');
  return database;
}

function corrupted(what: string): Error {
  return Object.assign(new Error(what), { errcode: CORRUPT });
}

/** Moves everything from the log to the main file, and saves the checksums of its pages. */
function checkpoint(): void {
  const done = openDatabase().prepare('pragma wal_checkpoint(passive)').get();
  if (sumsOf !== undefined && done?.log === done?.checkpointed) saveCatalogSums(sumsOf.path, sumsOf.fd);
}

/** Between transactions: the log would grow without bound. */
function checkpointWhenLong(): void {
  if (++writesSinceLook < WRITES_A_LOOK || openDatabase().isTransaction) return;
  writesSinceLook = 0;
  const log = sumsOf && statSync(`${sumsOf.path}-wal`, { throwIfNoEntry: false });
  if ((log?.size ?? 0) < LOG_BYTES_MAX) return;
  // A full disk keeps the log, and the next look tries again.
  try {
    checkpoint();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

function close(): void {
  try {
    checkpoint();
  } finally {
    openDatabase().close();
    if (sumsOf !== undefined) closeSync(sumsOf.fd);
  }
}

function runQuery({ sql, parameters }: Query): QueryRows {
  const statement = openDatabase().prepare(sql);
  if (statement.columns().length === 0) {
    const { changes } = statement.run(...parameters);
    checkpointWhenLong();
    return { rows: [], changes: BigInt(changes) };
  }
  // Rows have a null prototype, which structured cloning turns into plain objects.
  return { rows: statement.all(...parameters), changes: 0n };
}

/** Looking at the length of the log costs a system call. */
const WRITES_A_LOOK = 64;

let database: DatabaseSync | undefined;
/** The file and a descriptor of it that is closed after SQLite's; undefined in memory. */
let sumsOf: { readonly path: string; readonly fd: number } | undefined;
let writesSinceLook = 0;

function openDatabase(): DatabaseSync {
  if (database === undefined) throw new Error('The database is not open.');
  return database;
}

serveParent<DatabaseMethods>(
  {
    open: (path) => {
      database = open(path);
      checkpoint();
      return null;
    },
    query: runQuery,
    rollback: () => {
      if (openDatabase().isTransaction) openDatabase().exec('rollback');
      return null;
    },
  },
  { codec: SQLITE_CODEC, onClose: close },
);
