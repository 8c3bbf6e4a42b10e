// A failed run ends with the names of what failed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { failedTestsText, REPORTER } from './failed-tests.ts';

const FAILING = `
import { describe, it, test } from 'node:test';
const fail = () => { throw new Error('broken'); };
describe('outer', () => {
  it('passes', () => {});
  it('fails in a suite', fail);
  it('has steps', async (context) => { await context.test('fails in a step', fail); });
});
test('fails alone', fail);
`;
const PASSING = "import { test } from 'node:test'; test('passes', () => {});";
const UNLOADABLE = "throw new Error('not a test file');";
const DYING = "import { test } from 'node:test'; test('dies', async () => process.exit(3));";

/** The summary of a run of files of these texts. */
function summaryOf(test: TestContext, texts: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-failed-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const files = Object.entries(texts).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  });
  const failures = join(folder, 'failures.txt');
  const reporting = [`--test-reporter=${REPORTER}`, `--test-reporter-destination=${failures}`];
  const { PATH } = process.env;
  // Without the variables by which a test runner knows that another one has started it.
  spawnSync(process.execPath, ['--test', ...reporting, ...files], { cwd: folder, env: { PATH } });
  return failedTestsText(failures);
}

test('names each failed test by its file, line, suites and title, and each process that failed by itself', (context) => {
  const texts = {
    'dying.mjs': DYING,
    'failing.mjs': FAILING,
    'passing.mjs': PASSING,
    'unloadable.mjs': UNLOADABLE,
  };
  assert.equal(
    summaryOf(context, texts),
    `Failed tests (5):
  dying.mjs:1  the process failed
  failing.mjs:6  outer > fails in a suite
  failing.mjs:7  outer > has steps > fails in a step
  failing.mjs:9  fails alone
  unloadable.mjs:1  the process failed
`,
  );
});

test('says nothing after a run without failures', (context) => {
  assert.equal(summaryOf(context, { 'passing.mjs': PASSING }), '');
});
