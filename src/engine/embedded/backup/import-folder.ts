// Where indexes lie while they are made from copies, apart from those that can be opened.
import { join } from 'node:path';
import { removeFolder } from '../storage/index-files.ts';

const FOLDER = 'imports';

export function importFolder(dataDir: string, indexId: string): string {
  return join(dataDir, FOLDER, indexId);
}

/** What a crash has left; before any import of this process begins. */
export function removeUnfinishedImports(dataDir: string): void {
  removeFolder(join(dataDir, FOLDER));
}
