// Where indexes lie while they are imported, apart from those that can be opened.
import { join } from 'node:path';
import { removeFolder } from '../storage/index-files.ts';

const FOLDER = 'imports';

export function importFolder(dataDir: string, indexId: string): string {
  return join(dataDir, FOLDER, indexId);
}

/** Removes what a crash has left. Call before the first import of this process. */
export function removeUnfinishedImports(dataDir: string): void {
  removeFolder(join(dataDir, FOLDER));
}
