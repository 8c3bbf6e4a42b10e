import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dropFromPageCache, readIntoPageCache } from './page-cache.ts';

test('reads and drops all files of a folder, and leaves them unchanged', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-page-cache-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'inner'));
  const contents = { outer: 'a'.repeat(100_000), 'inner/one': 'b', 'inner/empty': '' };
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(folder, name), text);
  assert.equal(readIntoPageCache(folder), 100_001);
  dropFromPageCache(folder);
  assert.equal(readIntoPageCache(folder), 100_001);
  for (const [name, text] of Object.entries(contents))
    assert.equal(readFileSync(join(folder, name), 'utf8'), text);
});
