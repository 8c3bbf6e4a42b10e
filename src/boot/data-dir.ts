// The data directory: created at the first start, readable by its owner alone, and checked for write access before use.
import { access, constants, mkdir } from 'node:fs/promises';
import { StartProblem } from './start-problems.ts';

const OWNER_ONLY = 0o700;
/** The permissions that new files never get: the libraries that write data request a world-readable mode. */
const OTHERS_RIGHTS = 0o077;

/** @throws StartProblem when the folder cannot be created or written */
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
