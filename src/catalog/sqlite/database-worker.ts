// The thread that owns the SQLite connection, so that no disk write ever blocks the main thread.
import { DatabaseSync } from 'node:sqlite';
import { serveParent } from '../../platform/worker-channel/serve-parent.ts';
import { SQLITE_CODEC } from './database-errors.ts';
import type { DatabaseMethods, Query, QueryRows } from './database-methods.ts';

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
  const check = database.prepare('pragma quick_check(1)').get()?.quick_check;
  if (check !== 'ok') throw Object.assign(new Error(String(check)), { errcode: 11 });
  return database;
}

function runQuery({ sql, parameters }: Query): QueryRows {
  const statement = openDatabase().prepare(sql);
  if (statement.columns().length === 0) {
    return { rows: [], changes: BigInt(statement.run(...parameters).changes) };
  }
  // Rows have a null prototype, which structured cloning turns into plain objects.
  return { rows: statement.all(...parameters), changes: 0n };
}

let database: DatabaseSync | undefined;

function openDatabase(): DatabaseSync {
  if (database === undefined) throw new Error('The database is not open.');
  return database;
}

serveParent<DatabaseMethods>(
  {
    open: (path) => {
      database = open(path);
      return null;
    },
    query: runQuery,
    rollback: () => {
      if (openDatabase().isTransaction) openDatabase().exec('rollback');
      return null;
    },
  },
  { codec: SQLITE_CODEC, onClose: () => openDatabase().close() },
);
