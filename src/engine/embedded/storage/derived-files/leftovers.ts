// The file a snapshot is written to before it takes its name, and what a crash leaves of it.
import { rmSync } from 'node:fs';

/** Where a snapshot is written before it is renamed to `path`. */
export function asidePath(path: string): string {
  return `${path}.part`;
}

/**
 * Removes what a crash has left of an unfinished write. For the one who writes `path`: a reader would take
 * the file of a running write away.
 */
export function removeLeftover(path: string): void {
  rmSync(asidePath(path), { force: true });
}

/** Removes a snapshot and what may be left of an unfinished one. A crash may bring it back. */
export function removeSnapshot(path: string): void {
  removeLeftover(path);
  rmSync(path, { force: true });
}
