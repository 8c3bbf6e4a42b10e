// Runs the tests of the console in a browser; installs the browser where it may. `--short` runs half, and installs none;
// `--only=NAME,NAME` runs groups of tasks.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CONSOLE, installDependencies } from './dependencies.ts';

const TASKS = join(CONSOLE, 'test', 'tasks.ts');
const isShort = process.argv.includes('--short');

/** Debian's package; its fonts alone would show no text. */
function installBrowser(): void {
  if (existsSync('/usr/bin/chromium') || process.getuid?.() !== 0) return;
  const install = 'apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core';
  spawnSync('sh', ['-c', install], { stdio: 'inherit' });
}

installDependencies();
if (!isShort) installBrowser();
const { status } = spawnSync(
  process.execPath,
  ['--test-concurrency=1', '--test-timeout=600000', TASKS, ...process.argv.slice(2)],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
