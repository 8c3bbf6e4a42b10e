// Files that commands write for the user: whole or not at all, and named where they cannot be written.
import { rename, rm, writeFile } from 'node:fs/promises';

/** The error, with the path of its file: those of writing have none. Others unchanged. */
export function named(error: unknown, path: string): unknown {
  const isNameless = error instanceof Error && 'syscall' in error && !('path' in error);
  return isNameless ? Object.assign(error, { path }) : error;
}

/** As the work, with errors that name the file. */
export async function naming<Result>(path: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw named(error, path);
  }
}

/**
 * Gives a file new content: at any moment it has the old one or the new one.
 * @param mode of the file; default what the system gives
 * @throws Error of the file system, which names a file
 */
export async function replaceWhole(path: string, content: string, mode?: number): Promise<void> {
  // Another process may write the same file at the same time.
  const unfinished = `${path}.${process.pid}.part`;
  // A file that is there keeps its mode.
  await rm(unfinished, { force: true });
  try {
    await naming(path, writeFile(unfinished, content, mode === undefined ? {} : { mode }));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
