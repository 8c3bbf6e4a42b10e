// Loads the test files of one process; what each of them guarantees runs when all are there.
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { countTime, noteFile } from './count-time.ts';

/** A file that cannot be loaded fails as a test of its own, and leaves the others alone. */
export async function runFiles(name: string, files: readonly string[]): Promise<void> {
  // The runner fails the file for what no test awaited, but does not say where it came from.
  process.on('unhandledRejection', (error) => process.stderr.write(`${inspect(error)}\n`));
  const { promise: areLoaded, resolve } = Promise.withResolvers<void>();
  // Loading beside the first tests would take their time.
  before(() => areLoaded);
  countTime(name);
  for (const file of files) {
    noteFile(file);
    try {
      await import(pathToFileURL(file).href);
    } catch (error) {
      test(`${file} is loaded`, () => {
        throw error;
      });
    }
  }
  resolve();
}
