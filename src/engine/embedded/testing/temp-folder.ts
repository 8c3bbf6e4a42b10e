// Temporary folders for tests, removed when the test ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Other threads, which end in later hooks of the test, may write into the folder while it is removed. */
const RETRIES_MAX = 10;

export function tempFolder(test: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-engine-'));
  test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: RETRIES_MAX }));
  return folder;
}
