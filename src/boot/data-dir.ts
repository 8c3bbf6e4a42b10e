// The data directory: made at the first start, its files readable by their owner alone, and proven writable before use.
import { access, constants, mkdir } from 'node:fs/promises';
import { StartProblem } from './start-problems.ts';

const OWNER_ONLY = 0o700;
/** Rights that no file gets from here on: the libraries that write data ask for a mode that lets everybody read. */
const OTHERS_RIGHTS = 0o077;

/** @throws StartProblem when the folder cannot be made or written */
export async function prepareDataDir(path: string): Promise<void> {
  process.umask(OTHERS_RIGHTS);
  try {
    await mkdir(path, { recursive: true, mode: OWNER_ONLY });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartProblem(
      `the data directory ${path} cannot be ${code === 'EACCES' ? 'written' : 'used'} (${code}). ` +
        'Set PINYON_DATA_DIR to a folder that this user may write.',
    );
  }
}
