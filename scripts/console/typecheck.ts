// Checks the types of the console, whose code runs in a browser and so has a configuration of its own.
import { spawnSync } from 'node:child_process';
import { CONSOLE, installDependencies } from './dependencies.ts';

installDependencies();
const { status } = spawnSync('tsc', ['--noEmit', '--project', CONSOLE], { stdio: 'inherit' });
process.exitCode = status ?? 1;
