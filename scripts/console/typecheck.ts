// Checks the types of the console, whose code runs in a browser and so has a configuration of its own.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CONSOLE, installDependencies } from './dependencies.ts';

installDependencies();
for (const project of [CONSOLE, join(CONSOLE, 'test')]) {
  const { status } = spawnSync('tsc', ['--noEmit', '--project', project], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = status ?? 1;
}
