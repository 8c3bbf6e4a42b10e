// Reads a catalog without changing it: from a copy, while a lock keeps servers out.
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Catalog, CatalogOpenError } from '../port.ts';
import { openCatalog } from './open-catalog.ts';
import { sumsPath } from './page-sums.ts';

const BUSY = 5;
const LOG_SUFFIXES = ['-wal', '-shm'];

export interface CatalogReading {
  /** A copy of the catalog as it was; null when it is missing or damaged. */
  readonly catalog: Catalog | null;
  /** Why there is none; null otherwise. */
  readonly problem: string | null;
  /** Lets servers in again. Always call it. */
  close(): Promise<void>;
}

/**
 * Opens a copy of the catalog, and keeps servers from starting until it is closed.
 * @throws CatalogOpenError in-use while a server runs; newer
 */
export async function readCatalog(path: string): Promise<CatalogReading> {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    return { catalog: null, problem: `${path} is missing or empty`, close: () => Promise.resolve() };
  lock(path).release();
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-catalog-'));
  const copy = join(folder, basename(path));
  // Before the lock, which the system drops when a descriptor of the file is closed.
  for (const [from, to] of [
    [path, copy],
    [`${path}-wal`, `${copy}-wal`],
    [sumsPath(path), sumsPath(copy)],
  ] as const)
    if (existsSync(from)) copyFileSync(from, to);
  const held = lock(path);
  const end = () => {
    held.release();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const catalog = await openCatalog({ path: copy });
    const close = async () => {
      await catalog.close();
      end();
    };
    return { catalog, problem: null, close };
  } catch (error) {
    if (error instanceof CatalogOpenError && error.problem !== 'newer') {
      const problem = error.message.replaceAll(copy, path).replaceAll(sumsPath(copy), sumsPath(path));
      return { catalog: null, problem, close: async () => end() };
    }
    end();
    throw error;
  }
}

/** Keeps servers from opening the catalog; has no effect on a file that is no database. @throws CatalogOpenError in-use */
function lock(path: string): { release(): void } {
  // SQLite leaves the files of its log when it opens a database to read it.
  const missing = LOG_SUFFIXES.filter((suffix) => !existsSync(`${path}${suffix}`));
  let database: DatabaseSync | undefined;
  const release = () => {
    database?.close();
    for (const suffix of missing) rmSync(`${path}${suffix}`, { force: true });
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
      throw new CatalogOpenError(
        'in-use',
        `${path} is in use by a server. Stop it first, or check its indexes over HTTP with --online.`,
        error,
      );
    }
  }
  return { release };
}
