// Which test files share a process.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isEveryday, runsOf } from './runs.ts';

const INNER = "describe('x', () => {\n  before(() => {});\n  beforeEach(() => {});\n});\n";

/** The files of each run, of files with these texts. */
function runs(test: TestContext, texts: Readonly<Record<string, string>>, isAlone = false) {
  const [folder, home] = [mkdtempSync(join(tmpdir(), 'pinyon-runs-')), process.cwd()];
  test.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  process.chdir(folder);
  try {
    return runsOf(Object.keys(texts), { isAlone }).map(({ files }) => files);
  } finally {
    process.chdir(home);
  }
}

test('puts the files of a shared folder together, except those with hooks for every test', (context) => {
  const texts = { 'src/app/a.ts': INNER, 'src/app/b/c.ts': 'before(x);', 'src/app/d.ts': 'afterEach(x);' };
  assert.deepEqual(runs(context, texts), [['src/app/a.ts', 'src/app/b/c.ts'], ['src/app/d.ts']]);
  assert.deepEqual(
    runs(context, texts, true),
    Object.keys(texts).map((file) => [file]),
  );
});

test('deals acceptance tests to a few processes, except those with any hooks outside of a suite', (context) => {
  const texts = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`test/${i}.ts`, INNER]));
  const dealt = runs(context, { ...texts, 'test/own.ts': 'before(start);' });
  assert.deepEqual(
    dealt.map((files) => files.length),
    [3, 3, 3, 3, 2, 2, 2, 2, 1],
  );
  assert.deepEqual(dealt.at(-1), ['test/own.ts']);
});

test('leaves tests that kill servers and fail allocations to their own command', () => {
  const files = ['test/durability/crash.test.ts', 'src/engine/embedded/testing/fault-injection/a.test.ts'];
  assert.deepEqual(files.filter(isEveryday), []);
  assert.ok(isEveryday('test/restart.test.ts'));
});
