// How busy a process is: what it does in the background shows here, whatever it is.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Linux counts processor time in hundredths of a second for programs, whatever the kernel's own clock is. */
const TICKS_PER_SECOND = 100;
const WATCHED_MS = 1_000;
/** Share of a core below which a process does nothing but housekeeping. */
const QUIET_SHARE = 0.1;
/** Quiet for so many spans in a row. */
const QUIET_SPANS = 2;

/** Processor seconds of a process since its start, all threads together. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold spaces; user and system time are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Bytes that a process has had the disk read since its start: what the page cache had does not count. */
export function readFromDisk(pid: number): number {
  return Number(/^read_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
}

/** Resolves once the process does nothing any more. @throws when that takes longer than `secondsMax` */
export async function untilQuiet(pid: number, secondsMax: number): Promise<void> {
  const deadline = performance.now() + 1000 * secondsMax;
  for (let quiet = 0; quiet < QUIET_SPANS; ) {
    if (performance.now() > deadline) throw new Error(`process ${pid} is still busy`);
    const before = processorSeconds(pid);
    await pause(WATCHED_MS);
    const share = (1000 * (processorSeconds(pid) - before)) / WATCHED_MS;
    quiet = share < QUIET_SHARE ? quiet + 1 : 0;
  }
}
