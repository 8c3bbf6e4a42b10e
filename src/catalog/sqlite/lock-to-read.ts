// Keeps other processes from writing a catalog without changing anything of it.
import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const BUSY = 5;
const LOG_SUFFIXES = ['-wal', '-shm'];

/**
 * Has no effect on a file that is no database. Close no descriptor of the file until it is released: the system would
 * drop the lock.
 * @throws the error of SQLite when a server has the catalog open
 */
export function lockToRead(path: string): { release(): void } {
  // SQLite leaves the files of its log when it opens a database to read it.
  const missing = LOG_SUFFIXES.filter((suffix) => !existsSync(`${path}${suffix}`));
  let database: DatabaseSync | undefined;
  const release = () => {
    // While the lock keeps others from writing to a log of the same name.
    for (const suffix of missing) rmSync(`${path}${suffix}`, { force: true });
    database?.close();
  };
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    database.exec('begin');
    database.prepare('select count(*) from sqlite_master').get();
  } catch (error) {
    const isBusy = error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY;
    if (isBusy) {
      // Its files belong to the server.
      database?.close();
      throw error;
    }
  }
  return { release };
}
