// Compiles the modules of the server before tests start it: a server that a test kills leaves none compiled behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/pinyon.mjs', import.meta.url));
/** Where something is wrong with the program, the tests say what. */
const START_MS_MAX = 60_000;

/** Starts the server on an empty directory, and ends it once it is ready: Node keeps compiled modules at a clean exit. */
export async function warmServer(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-warm-'));
  const { PATH = '', HOME = '' } = process.env;
  const server = spawn(process.execPath, [PROGRAM], {
    env: { PATH, HOME, PINYON_DATA_DIR: join(folder, 'data'), PINYON_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: START_MS_MAX,
  });
  server.stdout.once('data', () => server.kill('SIGTERM'));
  server.stdout.resume();
  await once(server, 'close');
  rmSync(folder, { recursive: true });
}
