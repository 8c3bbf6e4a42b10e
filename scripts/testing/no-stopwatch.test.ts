// Everyday tests measure no time: on a busy machine a stopwatch tells of the other processes.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TESTS = ['src', 'test', 'scripts', 'bench/peers/support'].map((folder) => `${folder}/**/*.test.ts`);
/** The time since a moment; moments themselves are also needed for deadlines and fake clocks. */
const STOPWATCH = /\b(performance|Date)\.now\(\) - [a-z]|\bhrtime\b|[a-z]\.cpuUsage\(/;
/** Measures in the long form alone. */
const LONG = ['src/app/access/principals.test.ts'];

test('finds no test that measures how long something takes', () => {
  const found = globSync(TESTS, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => STOPWATCH.test(readFileSync(`${ROOT}/${file}`, 'utf8')));
  assert.deepEqual(
    found.filter((file) => !LONG.includes(file) && !import.meta.filename.endsWith(file)),
    [],
    'wait for an event, set the clock, or count work: see CONTRIBUTING.md',
  );
});
