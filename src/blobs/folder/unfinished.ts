// The location of unfinished files.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../domain/ids.ts';

/** Keys never start with a dot, so no blob has such a path. */
export const UNFINISHED_FOLDER = '.unfinished';

export function unfinishedPath(root: string): string {
  return join(root, UNFINISHED_FOLDER, newId());
}

export async function sweepUnfinished(root: string): Promise<void> {
  const folder = join(root, UNFINISHED_FOLDER);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
}
