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

export interface Recording {
  /** As compiled. */
  readonly library: string;
  /** Changes below it are recorded. */
  readonly root: string;
  readonly log: string;
  /** Once there is such a file, the process and its children kill themselves, with every change in the log. */
  readonly end: string;
}

/** Makes a process record its changes, and those of its children. */
export function recorderEnvironment({
  library,
  root,
  log,
  end,
}: Recording): Readonly<Record<string, string>> {
  return { LD_PRELOAD: library, RECORDER_ROOT: root, RECORDER_LOG: log, RECORDER_END: end };
}
