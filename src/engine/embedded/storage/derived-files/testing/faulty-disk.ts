// Makes file system calls fail, for tests of what is left behind.
import syncFs from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

export interface Fault {
  readonly call: 'open' | 'write' | 'datasync' | 'close' | 'rename' | 'sync' | 'statfs';
  /** Which of these calls fails, from 1. */
  readonly nth: number;
  /** What happens instead: an error, or a simulated crash. */
  readonly act: () => void;
}

/** @returns a function that restores the calls */
export function breakFiles({ call, nth, act }: Fault): () => void {
  let calls = 0;
  const passing = (name: Fault['call']) => {
    if (name === call && ++calls === nth) act();
  };
  const { open, rename, statfs } = fs;
  const broken = {
    rename: async (from: string, to: string) => {
      passing('rename');
      return rename(from, to);
    },
    statfs: async (path: string) => {
      passing('statfs');
      return statfs(path);
    },
    open: async (path: string, flags: string, mode?: number) => {
      passing('open');
      return watched(await open(path, flags, mode), passing);
    },
  };
  Object.assign(fs, broken);
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, { open, rename, statfs });
    syncBuiltinESMExports();
  };
}

/** Makes synchronous openings of derived files fail, the first `times` of them. @returns a function that restores them */
export function breakOpenings(code: string, times = Number.POSITIVE_INFINITY): () => void {
  const { openSync } = syncFs;
  let failures = 0;
  const broken: typeof openSync = (path, ...rest) => {
    if (String(path).endsWith('.segment') && failures++ < times) throw systemError(code);
    return openSync(path, ...rest);
  };
  Object.assign(syncFs, { openSync: broken });
  syncBuiltinESMExports();
  return () => {
    Object.assign(syncFs, { openSync });
    syncBuiltinESMExports();
  };
}

/** Makes synchronous reads of files fail. @returns a function that restores them */
export function breakReads(code: string): () => void {
  const { readSync } = syncFs;
  Object.assign(syncFs, {
    readSync: () => {
      throw systemError(code);
    },
  });
  syncBuiltinESMExports();
  return () => {
    Object.assign(syncFs, { readSync });
    syncBuiltinESMExports();
  };
}

/** A handle that reports its calls before it makes them. */
function watched(handle: FileHandle, passing: (call: Fault['call']) => void): FileHandle {
  for (const call of ['write', 'datasync', 'sync', 'close'] as const) {
    const real = handle[call].bind(handle) as (...args: unknown[]) => Promise<unknown>;
    const faultyCall = async (...args: unknown[]) => {
      // A file is closed even when closing it reports an error.
      const result = call === 'close' ? await real(...args) : undefined;
      passing(call);
      return call === 'close' ? result : real(...args);
    };
    Object.defineProperty(handle, call, { value: faultyCall });
  }
  return handle;
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made by a test`), { code, syscall: 'test' });
}
