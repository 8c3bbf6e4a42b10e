// Runs the everyday tests, with --rest those that take long, or the files whose path contains one of the words given.
import { spawnSync } from 'node:child_process';
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from './testing/bundled-program.ts';
import { TIMES_FILE, TIMES_OF_EACH, timesText } from './testing/count-time.ts';
import { failedTestsText, REPORTER } from './testing/failed-tests.ts';
import { makeMemoryFolder } from './testing/memory-folder.ts';
import { runsOf, suiteOf, writeRuns } from './testing/runs.ts';

const PATTERNS = ['src', 'test', 'scripts', 'bench/peers/support'].map((folder) => `${folder}/**/*.test.ts`);
/** Processes at a time: one more than two cores, as some wait. Each starts threads of its own. */
const CONCURRENCY = 3;
/** A process that takes longer hangs, also on a busy machine. */
const PROCESS_TIMEOUT_MS = 20 * 60_000;
const isLong = process.env.PINYON_TESTS === 'long';
/** A failed test may leave a server open, which keeps its file from ending; the run fails then, but ends. */
const RUN_TIMEOUT_MS = (isLong ? 240 : 45) * 60_000;
const TIMES_SHOWN = 10;
const TIMES_SHOWN_ON_DEMAND = 60;
/** Processes start in half the time when their modules are compiled already. */
const CACHE = fileURLToPath(new URL('../node_modules/.cache/pinyon-tests', import.meta.url));

const isOption = (word: string) => word.startsWith('--');
const options = new Set(process.argv.slice(2).filter(isOption));
const suite = options.has('--rest') ? 'rest' : 'everyday';
const words = process.argv.slice(2).flatMap((word) => (isOption(word) ? [] : word.replace(/^\.\//, '')));
const files = globSync(PATTERNS)
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) =>
    words.length === 0 ? isLong || suiteOf(file) === suite : words.some((word) => file.includes(word)),
  )
  .sort();

if (files.length === 0) {
  process.stderr.write(`No test file matches ${words.join(', ')}.\n`);
  process.exit(1);
}
/** Bundling the program is worth it before several of the files that start it. The long form starts the sources. */
const BUNDLED_FROM_FILES = 4;
const starting = files.filter((file) => file.startsWith('test/')).length;
const program = !isLong && starting >= BUNDLED_FROM_FILES ? await bundleProgram() : undefined;
const isTimed = options.has('--times');
const isAlone = isLong || options.has('--alone');
const modules = writeRuns(runsOf(files, { isAlone }), join(CACHE, 'runs'));
const times = join(CACHE, `times-${process.pid}.txt`);
writeFileSync(times, '');
/** The long form shows what holds on a disk. */
const memoryFolder = isLong ? undefined : makeMemoryFolder();
// Not --test-force-exit: it was seen to lose the reports of a whole file, failures included.
const testOptions = [`--test-concurrency=${CONCURRENCY}`, `--test-timeout=${PROCESS_TIMEOUT_MS}`];
const failures = join(CACHE, `failures-${process.pid}.txt`);
writeFileSync(failures, '');
const reporters = [
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  `--test-reporter=${REPORTER}`,
  `--test-reporter-destination=${failures}`,
];
// --no-maglev-osr: as the product runs, see docs/decisions/001-runtime.md.
const nodeOptions = ['--no-maglev-osr', '--test', ...testOptions, ...reporters];
const { status, signal } = spawnSync(process.execPath, [...nodeOptions, ...modules], {
  stdio: 'inherit',
  timeout: RUN_TIMEOUT_MS,
  env: {
    NODE_COMPILE_CACHE: CACHE,
    ...(memoryFolder !== undefined && { TMPDIR: memoryFolder }),
    ...(program !== undefined && { PINYON_TEST_BUNDLE: program }),
    ...process.env,
    [TIMES_FILE]: times,
    ...(isTimed && { [TIMES_OF_EACH]: 'yes' }),
  },
});
process.stdout.write(timesText(times, isTimed ? TIMES_SHOWN_ON_DEMAND : TIMES_SHOWN));
process.stdout.write(failedTestsText(failures));
if (signal !== null)
  process.stdout.write(`The run was cut off by ${signal}; it may take ${RUN_TIMEOUT_MS / 60_000} minutes.\n`);
for (const file of [times, failures]) rmSync(file);
if (program !== undefined) rmSync(program, { recursive: true, maxRetries: 3 });
if (memoryFolder !== undefined) rmSync(memoryFolder, { recursive: true, maxRetries: 3 });
process.exit(status ?? 1);
