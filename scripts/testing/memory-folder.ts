// Where tests put their files: in memory, since a disk makes them wait for it in each of their thousands of syncs.
import { globSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
const PREFIX = 'pinyon-tests-';
/** Many times what the tests were seen to take at one time. */
const FREE_BYTES_MIN = 2 * 1024 ** 3;
/** Longer than a run may take: what is older was left by one that was cut off. */
const ABANDONED_MS = 60 * 60_000;

/** Makes a folder in memory, which the caller removes. Undefined where the system has none, or little memory. */
export function makeMemoryFolder(): string | undefined {
  try {
    for (const folder of globSync(join(IN_MEMORY, `${PREFIX}*`))) {
      if (Date.now() - statSync(folder).mtimeMs > ABANDONED_MS) rmSync(folder, { recursive: true });
    }
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    const freeBytes = Math.min(bavail * bsize, process.availableMemory());
    return freeBytes < FREE_BYTES_MIN ? undefined : mkdtempSync(join(IN_MEMORY, PREFIX));
  } catch {
    // Only Linux has it, and it may be closed to this user.
    return undefined;
  }
}
