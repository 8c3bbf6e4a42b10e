// Fails the next write of the meta page of an open store, as a disk may: LMDB gives its environment up then, in all threads
// of the process. Needs Linux and FFI.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { nativeModule } from '../../../platform/native/system-calls.ts';

/** LMDB writes meta pages through a descriptor of their own, with this flag. */
const O_DSYNC = 0o10000;

/** @returns false where it cannot be done */
export function breakMetaPage(path: string): boolean {
  const ffi = nativeModule();
  if (ffi === undefined) return false;
  const { dup2 } = ffi.dlopen(null, { dup2: { arguments: ['i32', 'i32'], return: 'i32' } }).functions;
  const full = openSync('/dev/full', 'w');
  try {
    const meta = readdirSync('/proc/self/fd').filter((fd) => isMeta(Number(fd), path));
    return meta.length > 0 && meta.every((fd) => dup2(full, Number(fd)) === Number(fd));
  } finally {
    closeSync(full);
  }
}

function isMeta(fd: number, path: string): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    return readlinkSync(`/proc/self/fd/${fd}`) === path && (Number.parseInt(flags, 8) & O_DSYNC) !== 0;
  } catch {
    return false;
  }
}
