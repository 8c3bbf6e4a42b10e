// Installs Python packages into an environment of their own, and the tests of a source distribution beside them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runOrFail } from '../command.ts';

/** Path of the environment's interpreter. */
export function python(folder: string): string {
  return join(folder, 'env/bin/python');
}

export async function installPackages(folder: string, packages: readonly string[]): Promise<void> {
  await runOrFail(['python3', '-m', 'venv', 'env'], { folder, log: 'venv' });
  await runOrFail([python(folder), '-m', 'pip', 'install', '--quiet', ...packages], {
    folder,
    log: 'install',
  });
}

/** Unpacks the source distribution of a package to `suite`. */
export async function unpackSource(folder: string, requirement: string): Promise<void> {
  const options = ['--quiet', '--no-deps', '--no-binary', ':all:', '--dest', 'source'];
  await runOrFail([python(folder), '-m', 'pip', 'download', ...options, requirement], {
    folder,
    log: 'source',
  });
  const [archive = ''] = readdirSync(join(folder, 'source'));
  const words = ['tar', '-xzf', join('source', archive), '--one-top-level=suite', '--strip-components=1'];
  await runOrFail(words, { folder, log: 'unpack' });
}
