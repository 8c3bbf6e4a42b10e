// Reads a catalog without changing it: from a copy, while a lock keeps servers out.
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Catalog, CatalogOpenError } from '../port.ts';
import { isOfDisk } from './database-errors.ts';
import { lockToRead } from './lock-to-read.ts';
import { logEndPath } from './log-end.ts';
import { openCatalog } from './open-catalog.ts';
import { sumsPath } from './page-sums.ts';

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
 * @throws CatalogOpenError in-use while a server runs; newer; unusable where the temporary folder takes no copy
 */
export async function readCatalog(path: string): Promise<CatalogReading> {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    return { catalog: null, problem: `${path} is missing or empty`, close: () => Promise.resolve() };
  lockFor(path).release();
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-catalog-'));
  let held: ReturnType<typeof lockToRead> | undefined;
  const end = () => {
    held?.release();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // Before the lock, which the system drops when a descriptor of the file is closed.
    const copy = copyTo(folder, path);
    held = lockFor(path);
    const { catalog, problem } = await openCopy(copy, path);
    const close = async () => {
      try {
        await catalog?.close();
      } finally {
        end();
      }
    };
    return { catalog, problem, close };
  } catch (error) {
    end();
    throw error;
  }
}

/** Copies a catalog with the files beside it. @returns the path of the copy */
function copyTo(folder: string, path: string): string {
  const copy = join(folder, basename(path));
  try {
    for (const [from, to] of [
      [path, copy],
      [`${path}-wal`, `${copy}-wal`],
      [sumsPath(path), sumsPath(copy)],
      [logEndPath(path), logEndPath(copy)],
    ] as const)
      if (existsSync(from)) copyFileSync(from, to);
  } catch (error) {
    throw uncopied(path, error);
  }
  return copy;
}

/** The copy of the catalog at `path`, or what is wrong with it. */
async function openCopy(copy: string, path: string): Promise<Pick<CatalogReading, 'catalog' | 'problem'>> {
  try {
    return { catalog: await openCatalog({ path: copy }), problem: null };
  } catch (error) {
    if (isOfDisk(error)) throw uncopied(path, error);
    if (!(error instanceof CatalogOpenError) || error.problem === 'newer') throw error;
    const problem = [sumsPath, logEndPath].reduce(
      (text, beside) => text.replaceAll(beside(copy), beside(path)),
      error.message.replaceAll(copy, path),
    );
    return { catalog: null, problem };
  }
}

function uncopied(path: string, error: unknown): CatalogOpenError {
  const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  return new CatalogOpenError(
    'unusable',
    `${path} is read from a copy, but cannot be copied to the temporary folder ${tmpdir()}: ${reason}. Set TMPDIR to a folder with room for it.`,
    error,
  );
}

/** @throws CatalogOpenError in-use */
function lockFor(path: string): ReturnType<typeof lockToRead> {
  try {
    return lockToRead(path);
  } catch (error) {
    throw new CatalogOpenError(
      'in-use',
      `${path} is in use by a server. Stop it first, or check its indexes with pinyon check --online.`,
      error,
    );
  }
}
