// The folder of a recovery that has not ended: what it does, and the lock that keeps a second one out.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { RecoveredStorage } from '../../app/recovery/recover-installation.ts';
import { CliProblem } from '../../cli/command.ts';
import { contentOf } from '../../domain/folder-content.ts';
import { parseOwnJson } from '../../domain/json.ts';
import { replaceFile } from '../../platform/durable-files.ts';
import { hasRecovered, INDEXES_FOLDER, RECOVERING_FOLDER } from '../data-dir.ts';

const TASK_FILE = 'task.json';
const LOCK_FILE = 'lock.sqlite';
/** The codes of SQLite's errors have a detail above this. */
const PRIMARY_CODE = 0xff;
const SQLITE_BUSY = 5;

/** What a recovery does, so that another run goes on with it. */
export interface Task {
  readonly timeline: string;
  /** As requested. */
  readonly to: number | null;
  /** The moment that is told to have been recovered. */
  readonly told: number;
  /** The last object to read: a server may still ship. */
  readonly last: number;
  /** The ids of the copies that it begins with: there may be newer ones by now. */
  readonly bases: readonly string[];
  readonly storages: readonly RecoveredStorage[];
  /** Names of indexes that are left out; absent in those of earlier releases. */
  readonly without?: readonly string[];
}

/** Of a recovery whose remains are being removed. */
const NO_TASK: Task = { timeline: '', to: null, told: 0, last: 0, bases: [], storages: [] };

/** Null before the first run. @throws CliProblem where the directory has something else */
export function readTask(dataDir: string): Task | null {
  if (!existsSync(dataDir)) return null;
  const path = pathOf(dataDir, TASK_FILE);
  if (existsSync(path)) return parseOwnJson<Task>(readFileSync(path, 'utf8'));
  if (hasRecovered(dataDir)) throw ended(dataDir);
  const others = contentOf(readdirSync(dataDir)).filter((name) => name !== RECOVERING_FOLDER);
  if (others.length > 0)
    throw new CliProblem(
      `${resolve(dataDir)} is not empty. Set PINYON_DATA_DIR to a new folder, or move its content away.`,
    );
  return null;
}

export function writeTask(dataDir: string, task: Task): void {
  replaceFile(pathOf(dataDir, TASK_FILE), Buffer.from(JSON.stringify(task)));
}

export function ended(dataDir: string): CliProblem {
  return new CliProblem(
    `A recovery into ${resolve(dataDir)} has ended. Start the server, or set PINYON_DATA_DIR to a new folder.`,
  );
}

/**
 * Makes the folder, and keeps other recoveries out until it is released or the process ends.
 * @param known the task that was read before
 * @throws CliProblem while another recovery runs, or where one has run since the task was read
 */
export function lockRecovering(dataDir: string, known: Task | null): { release(): void } {
  mkdirSync(join(dataDir, RECOVERING_FOLDER), { recursive: true, mode: 0o700 });
  let database: DatabaseSync | undefined;
  try {
    // SQLite locks files on every system, and the catalog relies on it already. The file stays empty.
    database = new DatabaseSync(pathOf(dataDir, LOCK_FILE), { timeout: 0 });
    database.exec('begin exclusive');
    assertUnchanged(dataDir, known);
  } catch (error) {
    database?.close();
    throw error instanceof CliProblem ? error : lockProblem(dataDir, error);
  }
  const held = database;
  return { release: () => held.close() };
}

function lockProblem(dataDir: string, error: unknown): CliProblem {
  const { errcode = 0, message } = error as Error & { readonly errcode?: number };
  const sentence =
    (errcode & PRIMARY_CODE) === SQLITE_BUSY
      ? `${resolve(dataDir)} is in use by another recovery. Wait for its end, or set PINYON_DATA_DIR to a new folder.`
      : `${pathOf(dataDir, LOCK_FILE)} cannot be locked: ${message}.`;
  return new CliProblem(sentence, undefined, error);
}

function assertUnchanged(dataDir: string, known: Task | null): void {
  if (hasRecovered(dataDir)) throw ended(dataDir);
  if (!isDeepStrictEqual(readTask(dataDir), known))
    throw new CliProblem(`${resolve(dataDir)} was in use by another recovery. Run the command again.`);
}

/**
 * Call with the lock. Its task is none that anybody asks for until all is gone: what is left of an index would pass for a
 * whole one. The folder stays: without it, indexes that are left would look like those of somebody else.
 */
export function clearRecovering(dataDir: string): void {
  writeTask(dataDir, NO_TASK);
  rmSync(join(dataDir, INDEXES_FOLDER), { recursive: true, force: true });
  const folder = join(dataDir, RECOVERING_FOLDER);
  for (const name of readdirSync(folder))
    if (name !== LOCK_FILE) rmSync(join(folder, name), { recursive: true, force: true });
}

function pathOf(dataDir: string, name: string): string {
  return join(dataDir, RECOVERING_FOLDER, name);
}
