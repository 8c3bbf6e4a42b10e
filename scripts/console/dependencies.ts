// Installs what building and testing the console needs, if its lock file asks for something else than is there.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CONSOLE = fileURLToPath(new URL('../../console/', import.meta.url));

const LOCK = join(CONSOLE, 'package-lock.json');
/** A copy of the lock file that was installed last. */
const INSTALLED = join(CONSOLE, 'node_modules', '.installed-lock.json');

export function installDependencies(): void {
  if (textOf(LOCK) === textOf(INSTALLED)) return;
  console.error('Installing the packages of console/ (npm ci).');
  const { status } = spawnSync('npm', ['ci', '--no-fund', '--no-audit'], { cwd: CONSOLE, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm ci failed in console/.');
  copyFileSync(LOCK, INSTALLED);
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
