// The thread that owns the SQLite connection, so that no disk write ever blocks the main thread.
import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { serveParent } from '../../platform/worker-channel/serve-parent.ts';
import type { CatalogPages } from '../pages.ts';
import { changedPages } from './changed-pages.ts';
import { SQLITE_CODEC } from './database-errors.ts';
import type { DatabaseMethods, PagesRequest, Query, QueryRows } from './database-methods.ts';
import { lockToRead } from './lock-to-read.ts';
import { LogEnd, logEndPath, logProblem, missingLog } from './log-end.ts';
import { CatalogSums, catalogProblem, hasMoved, sumsPath } from './page-sums.ts';
import { warn } from './warn.ts';

const CORRUPT = 11;
const IN_MEMORY = ':memory:';
/** The log is checkpointed when it is longer, as by default in SQLite. */
const LOG_BYTES_MAX = 4 * 2 ** 20;

/**
 * Opens the file for this process alone. WAL with FULL makes a commit one flush to disk;
 * the empty transaction takes the lock now rather than at the first query.
 */
function open(path: string): DatabaseSync {
  if (path !== IN_MEMORY) {
    verify(path);
    isProtected = [sumsPath(path), logEndPath(path)].some((beside) => existsSync(beside));
  }
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 0 });
  database.exec('pragma locking_mode = exclusive');
  database.exec('pragma journal_mode = wal');
  database.exec('pragma synchronous = full');
  database.exec('begin immediate; commit');
  if (path !== IN_MEMORY) {
    sums ??= new CatalogSums(path, openSync(path, 'r'));
    framesInLog = database.prepare('pragma wal_checkpoint(noop)');
    if (isProtected) followLog(path);
  }
  const check = database.prepare('pragma quick_check(1)').get()?.quick_check;
  if (check !== 'ok') throw corrupted(String(check));
  // Checkpoints go with the checksums of what they wrote.
  database.exec('pragma wal_autocheckpoint = 0');
  return database;
}

function followLog(path: string): void {
  logEnd ??= new LogEnd(path);
  noteFrames();
}

/**
 * Whoever opens the file beside which there was nothing may be in the middle of an upgrade, and return to a release that
 * writes the catalog alone: what stood beside it would then be of another state.
 */
function protect(): void {
  if (sums === undefined || isProtected) return;
  isProtected = true;
  followLog(sums.path);
  checkpoint();
}

/** Before the file is opened for writing: SQLite removes what it takes for an old log when it closes such a file. */
function verify(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) {
    // Of a catalog that was lost.
    for (const beside of [sumsPath(path), logEndPath(path)]) rmSync(beside, { force: true });
    return;
  }
  const lock = lockToRead(path);
  try {
    sums = new CatalogSums(path, openSync(path, 'r'));
    const moved = missingLog(path);
    if (moved !== null && hasMoved(path, sums.fd, moved)) {
      // Its checksums are made anew by the checkpoint that follows.
      process.emitWarning(
        `Another program has opened ${path} after this server was killed, and moved its log to it. Nothing is missing.`,
      );
      return;
    }
    const problem = logProblem(path) ?? catalogProblem(path, sums.fd);
    if (problem !== null) throw corrupted(problem);
  } finally {
    lock.release();
  }
}

function corrupted(what: string): Error {
  return Object.assign(new Error(what), { errcode: CORRUPT });
}

/**
 * Moves everything from the log to the main file, and saves the checksums of its pages.
 * @returns whether the main file has everything
 */
function checkpoint(): boolean {
  sums?.noteLogged();
  const done = openDatabase().prepare('pragma wal_checkpoint(passive)').get();
  if (sums === undefined || done?.log !== done?.checkpointed) return false;
  if (isProtected) sums.save();
  logEnd?.empty();
  return true;
}

function pages({ known }: PagesRequest): CatalogPages | null {
  if (openDatabase().isTransaction) throw new Error('the catalog is in the middle of a transaction');
  const version = Number(openDatabase().prepare('select total_changes() as changes').get()?.changes);
  if (known?.version === version) return null;
  if (!checkpoint() || sums === undefined) throw new Error('the log of the catalog cannot be emptied');
  return { version, ...changedPages(sums.fd, known?.sums ?? null) };
}

/** Between transactions: the log would grow without bound. */
function checkpointWhenLong(): void {
  if (++writesSinceLook < WRITES_A_LOOK || openDatabase().isTransaction) return;
  writesSinceLook = 0;
  const log = sums && statSync(`${sums.path}-wal`, { throwIfNoEntry: false });
  if ((log?.size ?? 0) < LOG_BYTES_MAX) return;
  // A full disk keeps the log, and the next look tries again.
  try {
    checkpoint();
  } catch (error) {
    warn('The log of the catalog could not be moved to its file', error);
  }
}

function close(): void {
  let isWhole = false;
  try {
    isWhole = checkpoint();
  } finally {
    // SQLite removes the log when it closes, if it can move all of it to the main file.
    if (!isWhole) sums?.drop();
    logEnd?.empty();
    logEnd?.sync();
    openDatabase().close();
    if (sums !== undefined) closeSync(sums.fd);
    logEnd?.close();
  }
}

function runQuery({ sql, parameters }: Query): QueryRows {
  const statement = openDatabase().prepare(sql);
  if (statement.columns().length === 0) {
    const { changes } = statement.run(...parameters);
    noteCommit();
    checkpointWhenLong();
    return { rows: [], changes: BigInt(changes) };
  }
  // Rows have a null prototype, which structured cloning turns into plain objects.
  const rows = statement.all(...parameters);
  noteCommit();
  return { rows, changes: 0n };
}

/** Before the caller hears of it. */
function noteCommit(): void {
  if (!openDatabase().isTransaction) noteFrames();
}

function noteFrames(): void {
  logEnd?.advance(Number(framesInLog?.get()?.log));
}

/** Looking at the length of the log costs a system call. */
const WRITES_A_LOOK = 64;

let database: DatabaseSync | undefined;
/** With the descriptor of the file, which is closed after SQLite's; undefined in memory. */
let sums: CatalogSums | undefined;
let logEnd: LogEnd | undefined;
/** Moves nothing, but tells how many frames of the log SQLite holds for committed: some microseconds. */
let framesInLog: StatementSync | undefined;
/** Whether checksums and the end of the log are kept beside the file. */
let isProtected = false;
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
    protect: () => {
      protect();
      return null;
    },
    query: runQuery,
    pages,
    rollback: () => {
      if (openDatabase().isTransaction) openDatabase().exec('rollback');
      return null;
    },
  },
  { codec: SQLITE_CODEC, onClose: close },
);
