// The location of unfinished files.
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../domain/ids.ts';

/** Keys never start with a dot, so no blob has such a path. */
export const UNFINISHED_FOLDER = '.unfinished';

export function unfinishedPath(root: string): string {
  return join(root, UNFINISHED_FOLDER, newId());
}

/** Removes the files that nobody has written to since a moment, in milliseconds; makes the folder where there is none. */
export async function sweepUnfinished(root: string, sinceMs: number): Promise<void> {
  const folder = join(root, UNFINISHED_FOLDER);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const details = await stat(path).catch(() => null);
    if (details !== null && details.mtimeMs < sinceMs) await rm(path, { force: true });
  }
}
