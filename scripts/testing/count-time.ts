// The processor time of a test run, counted at its end: of its process and of the processes it has started and awaited.
import { appendFileSync, readFileSync } from 'node:fs';

/** Name of the environment variable with the path of the file that each run adds a line to. */
export const TIMES_FILE = 'PINYON_TEST_TIMES';
/** Linux counts in these, whatever the machine. */
const TICK_SECONDS = 0.01;
const MICROSECONDS = 1e-6;

/** Adds a line to the file of times when the process exits. */
export function countTime(name: string): void {
  const path = process.env[TIMES_FILE];
  if (path === undefined) return;
  process.once('exit', () => appendFileSync(path, `${processorSeconds().toFixed(2)} ${name}\n`));
}

function processorSeconds(): number {
  try {
    // utime, stime, cutime, cstime: fields 14 to 17; the second one may hold spaces, and ends with the last bracket.
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_SECONDS;
  } catch {
    // Other systems tell only of the process itself.
    const { user, system } = process.cpuUsage();
    return (user + system) * MICROSECONDS;
  }
}

/** What a file of times says, the most expensive `count` runs first. */
export function timesText(path: string, count: number): string {
  const times = readFileSync(path, 'utf8').trimEnd().split('\n').map(parse);
  const total = times.reduce((sum, { seconds }) => sum + seconds, 0);
  const lines = times
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ seconds, name }) => `${seconds.toFixed(1).padStart(7)}  ${name}`);
  return [
    `Processor time: ${total.toFixed(0)} s in ${times.length} processes; most of it:`,
    ...lines,
    '',
  ].join('\n');
}

function parse(line: string): { readonly seconds: number; readonly name: string } {
  const [seconds = '0', ...name] = line.split(' ');
  return { seconds: Number(seconds), name: name.join(' ') };
}
