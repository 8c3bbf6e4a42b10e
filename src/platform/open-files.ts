// The system's limit of files and connections that this process may have open.
import { readFileSync } from 'node:fs';

const LIMITS_FILE = '/proc/self/limits';

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
