// Runs the test suite: all of it, or the files whose path contains one of the words given.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PATTERNS = ['src/**/*.test.ts', 'test/**/*.test.ts'];
/** Files at a time; each starts threads of its own. */
const CONCURRENCY = 2;
/** A file that takes longer hangs. */
const FILE_TIMEOUT_MS = 180_000;
/** A failed test may leave a server open, which keeps its file from ending; the run fails then, but ends. */
const RUN_TIMEOUT_MS = (process.env.PINYON_TESTS === 'long' ? 240 : 20) * 60_000;
/** Every file is a process of its own, which starts in half the time when its modules are compiled already. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/pinyon-tests', import.meta.url));

const words = process.argv.slice(2).map((word) => word.replace(/^\.\//, ''));
const files = globSync(PATTERNS)
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();

if (files.length === 0) {
  process.stderr.write(`No test file matches ${words.join(', ')}.\n`);
  process.exit(1);
}
// --no-maglev-osr: as the product runs, see docs/decisions/017-optimising-compiler.md.
const options = [`--test-concurrency=${CONCURRENCY}`, `--test-timeout=${FILE_TIMEOUT_MS}`];
// Not --test-force-exit: it was seen to lose the reports of a whole file, failures included.
const { status } = spawnSync(process.execPath, ['--no-maglev-osr', '--test', ...options, ...files], {
  stdio: 'inherit',
  timeout: RUN_TIMEOUT_MS,
  env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env },
});
process.exit(status ?? 1);
