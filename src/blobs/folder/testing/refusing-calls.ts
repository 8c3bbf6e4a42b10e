// Calls of the file system that fail, as on a disk that is not like that of the tests.
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import { mock } from 'node:test';

const WRITES = ['link', 'mkdir', 'open', 'rename', 'rm', 'rmdir', 'unlink', 'writeFile'] as const;

type Call = (typeof WRITES)[number];

/**
 * Lets calls fail with a code.
 * @param isRefused by the first path of a call, its flags, and its name; default all
 * @returns restores them
 */
export function refuseCalls(
  calls: readonly Call[],
  code: string,
  isRefused: (path: string, flags: unknown, call: Call) => boolean = () => true,
): () => void {
  const mocks = calls.map((call) => {
    const original = fs[call];
    return mock.method(fs, call, async (...given: unknown[]) => {
      if (!isRefused(String(given[0]), given[1], call)) return Reflect.apply(original, fs, given);
      throw Object.assign(new Error(`${code}: refused, ${call} '${given[0]}'`), { code });
    });
  });
  syncBuiltinESMExports();
  return () => {
    for (const each of mocks) each.mock.restore();
    syncBuiltinESMExports();
  };
}

/** Lets all writes below a folder fail with a code: permissions alone do not stop root. */
export function refuseWrites(folder: string, code: string): () => void {
  const isWithin = (path: string) => path === folder || path.startsWith(`${folder}${sep}`);
  return refuseCalls(WRITES, code, (path, flags, call) => {
    if (!isWithin(path)) return false;
    // A folder that is there is found before the write is refused.
    if (call === 'mkdir') return !existsSync(path);
    if (call === 'rm') return existsSync(path);
    return call !== 'open' || (flags !== undefined && flags !== 'r');
  });
}
