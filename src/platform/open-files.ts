// The files that this process has open, and the system's limit of them and of connections.
import { fstatSync, readdirSync, readFileSync, statSync } from 'node:fs';

const LIMITS_FILE = '/proc/self/limits';
const DESCRIPTORS_FOLDER = '/proc/self/fd';

/** Node has raised the soft limit to the hard one by now. Null where the system has no limit, or does not say. */
export function openFilesMax(read: () => string = () => readFileSync(LIMITS_FILE, 'utf8')): number | null {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(read()) ?? [];
    const files = Number(soft);
    return Number.isInteger(files) ? files : null;
  } catch {
    return null;
  }
}

/** Whether any thread of this process has the file open. False where the system does not say. */
export function isOpenHere(path: string): boolean {
  try {
    const file = statSync(path);
    return readdirSync(DESCRIPTORS_FOLDER).some((fd) => {
      const opened = statOrNull(Number(fd));
      return opened?.ino === file.ino && opened.dev === file.dev;
    });
  } catch {
    return false;
  }
}

/** Null for one that was closed meanwhile. */
function statOrNull(fd: number): { readonly ino: number; readonly dev: number } | null {
  try {
    return fstatSync(fd);
  } catch {
    return null;
  }
}
