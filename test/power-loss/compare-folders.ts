// Compares two folders file by file.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param ignored names of files that may differ. @throws AssertionError naming the first that differs */
export function assertSameFolders(actual: string, expected: string, ignored: RegExp): void {
  const names = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !ignored.test(entry.name))
      .map(
        (entry) => `${join(entry.parentPath, entry.name).slice(folder.length)}${entry.isFile() ? '' : '/'}`,
      )
      .sort();
  assert.deepEqual(names(actual), names(expected));
  for (const name of names(actual)) {
    if (name.endsWith('/')) continue;
    const isSame = readFileSync(join(actual, name)).equals(readFileSync(join(expected, name)));
    assert.ok(isSame, `${name} differs`);
  }
}
