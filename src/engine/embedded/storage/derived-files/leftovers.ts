// The temporary file that a snapshot is written to, and what a crash leaves of it.
import { rmSync } from 'node:fs';

/** Where a snapshot is written before it is renamed to `path`. */
export function asidePath(path: string): string {
  return `${path}.part`;
}

/**
 * Removes what a crash has left of an unfinished write. Only for the writer of `path`: others would remove the file of a
 * running write.
 */
export function removeLeftover(path: string): void {
  rmSync(asidePath(path), { force: true });
}

/** Removes a snapshot and what may be left of an unfinished one. After a crash it may be there again. */
export function removeSnapshot(path: string): void {
  removeLeftover(path);
  rmSync(path, { force: true });
}
