// Copies the folder of an index that is open, as a crash would leave it.
import { cpSync, rmSync } from 'node:fs';

const TRIES_MAX = 20;

/** Copies a folder into a new one. Other threads may rename files in it meanwhile: it is copied again then. */
export function copyFolder(from: string, to: string): void {
  for (let tries = 1; ; tries++)
    try {
      cpSync(from, to, { recursive: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === TRIES_MAX) throw error;
      rmSync(to, { recursive: true, force: true });
    }
}
