// Counts the threads of this process that let all others go first; null where the system does not tell.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

const THREADS = '/proc/self/task';
/** The place of the priority behind the name, which may have spaces (proc_pid_stat(5), field 19). */
const PRIORITY_FIELD = 16;

export function lowThreads(): number | null {
  if (!existsSync(THREADS)) return null;
  return readdirSync(THREADS).filter((thread) => priorityOf(thread) === constants.priority.PRIORITY_LOW)
    .length;
}

/** Null for a thread that has ended since. */
function priorityOf(thread: string): number | null {
  try {
    const stat = readFileSync(`${THREADS}/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[PRIORITY_FIELD]);
  } catch {
    return null;
  }
}
