// Takes the permission to use a file or folder away, also from root, whom modes do not keep from anything.
import { chmodSync, globSync, statSync } from 'node:fs';

const NOBODY = 65_534;
const ALL = 0o777;

/** Runs `work` while this user may not use `path`; everything else in `folder` stays usable. Not on Windows. */
export async function withoutPermission(
  path: string,
  folder: string,
  work: () => Promise<void>,
): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const each of [folder, ...globSync(`${folder}/**`)]) chmodSync(each, ALL);
  const { mode } = statSync(path);
  try {
    chmodSync(path, 0);
    if (isRoot) process.seteuid?.(NOBODY);
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(path, mode);
  }
}
