// Names and files that survive a power loss.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

/** New names are durable only when their folder is synced. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Gives a file new content: at any moment it has the old one or the new one, durably the new one at the end. */
export function replaceFile(path: string, content: Uint8Array): void {
  const part = `${path}.part`;
  rmSync(part, { force: true });
  const fd = openSync(part, 'wx', OWNER_ONLY);
  try {
    for (let done = 0; done < content.length; ) done += writeSync(fd, content, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(part, path);
  syncFolder(dirname(path));
}
