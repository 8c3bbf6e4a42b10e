// Gives a finished file a name that must be free, also where the file system has no hard links, as SMB, exFAT and most of FUSE.
import { createHash } from 'node:crypto';
import { access, link, open, rename, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCode } from './disk.ts';
import { UNFINISHED_FOLDER } from './unfinished.ts';

/** Between two looks whether another process has ended its naming. */
const LOOK_MS = 20;
/** Naming takes milliseconds: longer than this, and the caller had better try again later. */
const WAIT_MS_MAX = 5_000;
/** A lock that is older is left from a process that has ended. */
const LOCK_MS_MAX = 60_000;

/**
 * Names a file that lies among the unfinished ones of `root`; it may stay there under its former name, too.
 * @throws EEXIST where the name is taken; ENOENT where its folder is not there
 */
export async function nameOnce(root: string, unfinished: string, path: string): Promise<void> {
  try {
    // Fails when the name is taken, while a rename replaces.
    await link(unfinished, path);
  } catch (error) {
    if (isCode(error, 'EEXIST') || isCode(error, 'ENOENT')) throw error;
    await renameLocked(root, unfinished, path);
  }
}

/** Looks and renames under a lock: others that name the same wait. A name never has half a file, whatever ends here. */
async function renameLocked(root: string, unfinished: string, path: string): Promise<void> {
  const lock = await takeLock(root, unfinished, path);
  try {
    if (await isThere(path)) throw nameTaken(path);
    await rename(unfinished, path);
  } finally {
    // What has its name has it. A lock that cannot be removed counts no more after a minute.
    await rm(lock, { force: true }).catch(() => undefined);
  }
}

/** @returns its path */
async function takeLock(root: string, unfinished: string, path: string): Promise<string> {
  // Processes may know the root by different paths.
  const key = relative(root, path).split(sep).join('/');
  const name = `${createHash('sha256').update(key).digest('hex')}.lock`;
  const lock = join(root, UNFINISHED_FOLDER, name);
  const until = performance.now() + WAIT_MS_MAX;
  for (;;) {
    try {
      await (await open(lock, 'wx')).close();
      return lock;
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
    }
    if (await isThere(path)) throw nameTaken(path);
    if (await isLeft(lock, unfinished)) await rm(lock, { force: true });
    else if (performance.now() > until) throw new Error(`${lock} is there: another process names ${key}`);
    else await sleep(LOOK_MS);
  }
}

/** By the clock of the file system, which wrote `recent` a moment ago: clocks of machines differ. */
async function isLeft(lock: string, recent: string): Promise<boolean> {
  const { mtimeMs } = await stat(recent);
  // Last, since it is removed next, and another process may do so, too, and take it.
  const taken = await stat(lock).catch(() => null);
  return taken !== null && mtimeMs - taken.mtimeMs > LOCK_MS_MAX;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** As the system's own. */
function nameTaken(path: string): Error {
  return Object.assign(new Error(`EEXIST: file already exists, '${path}'`), { code: 'EEXIST' });
}
