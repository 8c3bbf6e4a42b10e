// Reads a catalog without changing it: from a copy, while a lock keeps servers out.
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Catalog, CatalogOpenError } from '../port.ts';
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
 * @throws CatalogOpenError in-use while a server runs; newer
 */
export async function readCatalog(path: string): Promise<CatalogReading> {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    return { catalog: null, problem: `${path} is missing or empty`, close: () => Promise.resolve() };
  lockFor(path).release();
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-catalog-'));
  const copy = join(folder, basename(path));
  // Before the lock, which the system drops when a descriptor of the file is closed.
  for (const [from, to] of [
    [path, copy],
    [`${path}-wal`, `${copy}-wal`],
    [sumsPath(path), sumsPath(copy)],
    [logEndPath(path), logEndPath(copy)],
  ] as const)
    if (existsSync(from)) copyFileSync(from, to);
  const held = lockFor(path);
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
      const problem = [sumsPath, logEndPath].reduce(
        (text, beside) => text.replaceAll(beside(copy), beside(path)),
        error.message.replaceAll(copy, path),
      );
      return { catalog: null, problem, close: async () => end() };
    }
    end();
    throw error;
  }
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
