// Names and files that survive a power loss.
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const OWNER_ONLY = 0o600;
/** Node writes less than 2 GiB at once. */
const WRITE_BYTES_MAX = 2 ** 30;

/** New names are durable only when their folder is synced. */
export function syncFolder(path: string): void {
  sync(path);
}

/** Gives a complete folder its name, durably and with all that is in it: at no moment the name has less. */
export function installFolder(made: string, path: string): void {
  for (const entry of readdirSync(made, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) sync(join(entry.parentPath, entry.name));
  sync(made);
  renameSync(made, path);
  syncFolder(dirname(path));
}

/** A durable file in a lost folder is lost. @param made the first folder that was created on the way to `path` */
export function syncMade(path: string, made: string): void {
  const first = resolve(made);
  for (let folder = resolve(path); folder.length >= first.length; folder = dirname(folder))
    syncFolder(dirname(folder));
}

/** Gives a file new content: at any moment it has the old one or the new one, durably the new one at the end. */
export function replaceFile(path: string, content: Uint8Array): void {
  const part = `${path}.part`;
  rmSync(part, { force: true });
  const fd = openSync(part, 'wx', OWNER_ONLY);
  try {
    for (let done = 0; done < content.length; )
      done += writeSync(fd, content, done, Math.min(WRITE_BYTES_MAX, content.length - done));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(part, path);
  syncFolder(dirname(path));
}

function sync(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
