// The runs that test files are put into: they tell of every test, and of failures that no test awaits.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeRuns } from './runs.ts';

const PASSING = `
import { describe, it, test } from 'node:test';
describe('outer', () => it('inner', async (context) => {
  await context.test('innermost', async () => await Promise.resolve());
}));
test('last', () => {});
`;
const LOSING = `
import { test } from 'node:test';
async function lost() {
  await Promise.resolve();
  throw new Error('nobody awaits this');
}
test('passes by itself', () => void lost());
test('passes, too', async () => await new Promise((resolve) => setTimeout(resolve, 10)));
`;

/** Runs one file of this text, as if there were no run around it. */
function outcomeOf(text: string, folder: string) {
  const file = join(folder, 'file.mjs');
  writeFileSync(file, text);
  const [run = ''] = writeRuns([{ name: 'run', files: [file] }], folder);
  const { PATH } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test-reporter=tap', run], {
    encoding: 'utf8',
    env: { PATH },
  });
  const tests = stdout.match(/^ *(?:not )?ok \d+ - \w+/gm) ?? [];
  return { status, tests, stderr };
}

test('runs every test of its files, and fails for unhandled rejections, naming their origin', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-runs-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const passed = outcomeOf(PASSING, folder);
  assert.deepEqual(
    [passed.status, passed.tests],
    [0, ['        ok 1 - innermost', '    ok 1 - inner', 'ok 1 - outer', 'ok 2 - last']],
    passed.stderr,
  );
  const failed = outcomeOf(LOSING, folder);
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /Error: nobody awaits this\n +at lost \(.*file\.mjs:5/);
});
