// Calls of the file system that fail, as on a disk that is not like that of the tests.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';

type Call = 'link' | 'mkdir' | 'open' | 'rename' | 'rm' | 'rmdir' | 'unlink' | 'writeFile';

/**
 * Lets calls fail with a code.
 * @param isRefused by the first path of a call, and its flags; default all
 * @returns restores them
 */
export function refuseCalls(
  calls: readonly Call[],
  code: string,
  isRefused: (path: string, flags: unknown) => boolean = () => true,
): () => void {
  const mocks = calls.map((call) => {
    const original: (...given: unknown[]) => unknown = fs[call];
    return mock.method(fs, call, async (...given: unknown[]) => {
      if (!isRefused(String(given[0]), given[1])) return original(...given);
      throw Object.assign(new Error(`${code}: refused, ${call} '${given[0]}'`), { code });
    });
  });
  syncBuiltinESMExports();
  return () => {
    for (const each of mocks) each.mock.restore();
    syncBuiltinESMExports();
  };
}
