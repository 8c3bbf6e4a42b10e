// Compiles the recorder of file changes, and what a server needs to run under it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('./recorder.c', import.meta.url));

/** Compiles it into a folder. @returns the path of the library; null where there is no Linux or no C compiler */
export function compileRecorder(folder: string): string | null {
  if (process.platform !== 'linux') return null;
  const library = join(folder, 'recorder.so');
  const words = ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', library, SOURCE, '-lpthread', '-ldl'];
  const { status, stderr, error } = spawnSync('cc', words, { encoding: 'utf8' });
  if (error !== undefined) return null;
  if (status !== 0) throw new Error(stderr);
  return library;
}

/** Makes a process record its changes below `root`, and those of its children, in `log`. */
export function recorderEnvironment(
  library: string,
  root: string,
  log: string,
): Readonly<Record<string, string>> {
  return { LD_PRELOAD: library, RECORDER_ROOT: root, RECORDER_LOG: log };
}
