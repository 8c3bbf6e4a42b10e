// Whether a file is there, which is another question than whether this user may see it.
import { statSync } from 'node:fs';

/** What the system says of a path that leads nowhere. */
const NOWHERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/**
 * True for a file or folder that is there. Unlike `existsSync`, which takes for missing what this user may not see, and
 * what a disk cannot tell. @throws the system's error, as EACCES or EIO
 */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOWHERE.has(error.code)) return false;
    throw error;
  }
}
