// The thread that owns the SQLite connection, so that no disk write ever blocks the serving thread.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type Failure,
  OPENING_ID,
  type Operation,
  type QueryRows,
  type Request,
  type Response,
  type SqlValue,
} from './messages.ts';

const NOTHING: QueryRows = { rows: [], changes: 0n };

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

function run(database: DatabaseSync, operation: Operation): QueryRows {
  if (operation.kind === 'close') {
    database.close();
    return NOTHING;
  }
  if (operation.kind === 'rollback') {
    if (database.isTransaction) database.exec('rollback');
    return NOTHING;
  }
  const statement = database.prepare(operation.sql);
  if (statement.columns().length === 0) {
    return { rows: [], changes: BigInt(statement.run(...operation.parameters).changes) };
  }
  // Rows have a null prototype, which structured cloning turns into plain objects.
  return { rows: statement.all(...operation.parameters) as Record<string, SqlValue>[], changes: 0n };
}

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  return { code, message };
}

function attempt(id: number, work: () => QueryRows): Response {
  try {
    return { id, result: work() };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}

const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread only.');

let database: DatabaseSync | undefined;
port.postMessage(
  attempt(OPENING_ID, () => {
    database = open(String(workerData));
    return NOTHING;
  }),
);
if (database === undefined) port.close();

port.on('message', (request: Request) => {
  port.postMessage(
    attempt(request.id, () => {
      if (database === undefined) throw new Error('The database is not open.');
      return run(database, request.operation);
    }),
  );
  if (request.operation.kind === 'close') port.close();
});
