// Every release of the changelog keeps a data directory that it wrote, which a test opens.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');

test('keeps a data directory of each release, its answers, and the test that compares them', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const releases = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, release]) => release);
  assert.ok(releases.includes('0.1.0'));
  const files = releases.flatMap((release) => [
    `test/fixtures/data-dir-${release}.tar.br`,
    `test/fixtures/data-dir-${release}.answers.jsonl`,
    `test/data-dir-${release}.test.ts`,
  ]);
  assert.deepEqual(
    files.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});
