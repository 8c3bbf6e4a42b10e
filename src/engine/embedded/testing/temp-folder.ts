// Temporary folders for tests, removed when the test ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export function tempFolder(test: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-engine-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
