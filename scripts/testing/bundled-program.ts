// The program as the package has it, for the tests that start it: it starts in two thirds of the time of the sources.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../package/bundle.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Below node_modules, so that the bundle finds its packages. */
const FOLDER = join(ROOT, 'node_modules/.cache');
const PREFIX = 'bundled-program-';
/** Longer than a run may take: what is older was left by one that was cut off. */
const ABANDONED_MS = 60 * 60_000;
/** What the program needs beside its bundle. */
const BESIDE = ['bin', 'console/dist', 'console/vendor'];
/** Where something is wrong with the program, the tests say what. */
const START_MS_MAX = 60_000;

/** Bundles the program, and starts it once. @returns its folder, which the caller removes */
export async function bundleProgram(): Promise<string> {
  for (const folder of globSync(join(FOLDER, `${PREFIX}*`))) {
    if (Date.now() - statSync(folder).mtimeMs > ABANDONED_MS) rmSync(folder, { recursive: true });
  }
  mkdirSync(FOLDER, { recursive: true });
  const folder = mkdtempSync(join(FOLDER, PREFIX));
  await bundle(join(folder, 'dist'));
  for (const path of BESIDE) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  await compile(join(folder, 'bin/pinyon.mjs'));
  return folder;
}

/** Starts the server and ends it: Node keeps compiled modules at a clean exit, and a server that a test kills has none. */
async function compile(program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-warm-'));
  const { PATH = '', HOME = '' } = process.env;
  const server = spawn(process.execPath, [program], {
    env: { PATH, HOME, PINYON_DATA_DIR: join(folder, 'data'), PINYON_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: START_MS_MAX,
  });
  server.stdout.once('data', () => server.kill('SIGTERM'));
  server.stdout.resume();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
}
