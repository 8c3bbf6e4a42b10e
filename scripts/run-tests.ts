// Runs the test suite: all of it, or the files whose path contains one of the words given.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const PATTERNS = ['src/**/*.test.ts', 'test/**/*.test.ts'];
/** Files at a time; each starts threads of its own. */
const CONCURRENCY = 2;
/** A file that takes longer hangs. */
const FILE_TIMEOUT_MS = 180_000;

const words = process.argv.slice(2).map((word) => word.replace(/^\.\//, ''));
const files = globSync(PATTERNS)
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();

if (files.length === 0) {
  process.stderr.write(`No test file matches ${words.join(', ')}.\n`);
  process.exit(1);
}
// A failed test may leave a server or a timer behind; the run must end all the same, and say what failed.
const options = [
  `--test-concurrency=${CONCURRENCY}`,
  `--test-timeout=${FILE_TIMEOUT_MS}`,
  '--test-force-exit',
];
const { status } = spawnSync(process.execPath, ['--test', ...options, ...files], { stdio: 'inherit' });
process.exit(status ?? 1);
