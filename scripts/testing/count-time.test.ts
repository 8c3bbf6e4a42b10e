// A run tells where its processor time went.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { timesText } from './count-time.ts';

function textOf(test: TestContext, lines: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-times-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'times.txt');
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return timesText(path, 2);
}

test('sums up the processes, and names the most expensive ones', (context) => {
  assert.equal(
    textOf(context, ['1.50 process a', '12.04 process b c', '2.00 process d']),
    `Processor time: 16 s in 3 processes; most of it:
   12.0  b c
    2.0  d
`,
  );
});

test('names the most expensive files and tests where they were counted', (context) => {
  assert.equal(
    textOf(context, ['3.00 process a', '1.00 file x', '2.00 file y', '0.75 test is fast']),
    `Processor time: 3 s in 1 processes; most of it:
    3.0  a
Most of it by file:
    2.0  y
    1.0  x
Most of it by test:
    0.8  is fast
`,
  );
});
