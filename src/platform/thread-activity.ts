// What the system knows of a thread of this process, even of one that no longer runs JavaScript (Linux).
import { readFileSync, readlinkSync } from 'node:fs';

/** The file in which the system describes the calling thread; null where it does not. */
export function statusFileOfThread(): string | null {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/status`;
  } catch {
    return null;
  }
}

/**
 * What a thread is doing: `active` when it runs, waits for a processor or a disk, or has exited; otherwise `asleep` with
 * its counts of switches. Two equal answers of that kind say that it has done nothing in between. `unknown` where the
 * system does not tell.
 * @param file its `statusFileOfThread`, which any thread of the process can read
 */
export function activityOf(file: string | null, read = (path: string) => readFileSync(path, 'utf8')): string {
  if (file === null) return 'unknown';
  let status: string;
  try {
    status = read(file);
  } catch {
    return 'active';
  }
  const switches = [...status.matchAll(/^\w*voluntary_ctxt_switches:\s*(\d+)$/gm)].map(([, count]) => count);
  if (switches.length < 2) return 'unknown';
  return /^State:\s*S/m.test(status) ? `asleep ${switches.join(' ')}` : 'active';
}
