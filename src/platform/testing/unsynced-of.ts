// What a power loss may leave out of a folder that is made aside and then gets its name.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { mock } from 'node:test';

/**
 * Returns the files and folders that were not synced before the work gave the folder its name, and its own folder, if
 * that was not synced afterwards. Sees the synchronous calls of Node alone.
 */
export async function unsyncedOf(folder: string, work: () => Promise<void>): Promise<readonly string[]> {
  const paths = new Map<number, string>();
  const synced = new Set<string>();
  const unsynced: string[] = [];
  const { openSync, fsyncSync, renameSync } = fs;
  const mocks = [
    mock.method(fs, 'openSync', (...args: Parameters<typeof openSync>) => {
      const fd = openSync(...args);
      paths.set(fd, String(args[0]));
      return fd;
    }),
    mock.method(fs, 'fsyncSync', (fd: number) => {
      fsyncSync(fd);
      synced.add(paths.get(fd) ?? '');
    }),
    mock.method(fs, 'renameSync', (path: string, to: string) => {
      if (to === folder) {
        const names = ['', ...fs.readdirSync(path, { recursive: true, encoding: 'utf8' })];
        unsynced.push(...names.map((name) => join(path, name)).filter((each) => !synced.has(each)));
        synced.clear();
      }
      renameSync(path, to);
    }),
  ];
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const each of mocks) each.mock.restore();
    syncBuiltinESMExports();
  }
  return [...unsynced, ...[dirname(folder)].filter((each) => !synced.has(each))];
}
