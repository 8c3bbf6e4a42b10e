// What the tests start: the program of this clone, or the bundle of it that the test run made.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/** The command of this clone, which runs the sources. */
export const CLONE = join(REPOSITORY, 'bin/pinyon.mjs');
/** The command, as users have it. */
export const COMMAND = join(process.env.PINYON_TEST_BUNDLE ?? REPOSITORY, 'bin/pinyon.mjs');
/** The server: the command, or another program that speaks the same interface. */
export const SERVER =
  process.env.PINYON_TEST_PROGRAM === undefined
    ? COMMAND
    : resolve(REPOSITORY, process.env.PINYON_TEST_PROGRAM);
