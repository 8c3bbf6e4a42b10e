// A temporary folder with the generators of clients, installed from their registries.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Exact releases: another one may find fault with the same document. */
const NPM_PACKAGES = [
  'openapi-typescript@7.13.0',
  '@hey-api/openapi-ts@0.95.0',
  '@redocly/cli@2.77.0',
  'typescript@5.9.3',
];
const PYTHON_PACKAGES = ['openapi-python-client==0.29.1'];

/** Tools that ask for updates or report their use are told not to. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

export class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), 'pinyon-openapi-'));

  /** @throws Error with the output of the installer that failed */
  install(): void {
    this.run('npm', [
      'install',
      '--no-save',
      '--no-fund',
      '--no-audit',
      '--prefix',
      this.folder,
      ...NPM_PACKAGES,
    ]);
    this.run('python3', ['-m', 'venv', join(this.folder, 'python')]);
    this.python('-m', ['pip', 'install', '--quiet', ...PYTHON_PACKAGES]);
  }

  /** Runs a program of an npm package. */
  node(program: string, words: readonly string[]): string {
    return this.run(process.execPath, [join(this.folder, 'node_modules', '.bin', program), ...words]);
  }

  /** Runs `python`, or a program of a Python package. */
  python(first: string, words: readonly string[] = []): string {
    return this.run(join(this.folder, 'python', 'bin', 'python'), [first, ...words]);
  }

  /** Returns what the command printed. @throws Error with that when the command fails */
  run(command: string, words: readonly string[]): string {
    const { status, stdout, stderr, error } = spawnSync(command, words, {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...process.env, ...QUIET },
      maxBuffer: 64 * 2 ** 20,
    });
    if (error !== undefined) throw error;
    if (status !== 0) throw new Error(`${command} ${words.join(' ')}\n${stdout}\n${stderr}`);
    return `${stdout}\n${stderr}`;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
