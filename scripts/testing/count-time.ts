// The processor time of a test run: of each process with those it has started and awaited, of each file and each test.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterEach, beforeEach, type SuiteContext, type TestContext, test } from 'node:test';

/** Name of the environment variable with the path of the file that each process adds lines to. */
export const TIMES_FILE = 'PINYON_TEST_TIMES';
/** Name of the environment variable that makes each process count its files and tests, too. */
export const TIMES_OF_EACH = 'PINYON_TEST_TIMES_OF_EACH';
/** Linux counts in these, whatever the machine. */
const TICK_SECONDS = 0.01;
const MICROSECONDS = 1e-6;

type Kind = 'process' | 'file' | 'test';

interface Time {
  readonly kind: string;
  readonly name: string;
  readonly seconds: number;
}

/** Adds lines to the file of times when the process exits. To be called once its files are loaded. */
export function countTime(name: string): void {
  const path = process.env[TIMES_FILE];
  if (path === undefined) return;
  const each = isEachCounted() ? countEach(name) : new Map<string, number>();
  process.once('exit', () => {
    each.set(key('process', name), processorSeconds());
    appendFileSync(path, [...each].map(([key, seconds]) => `${seconds.toFixed(2)} ${key}\n`).join(''));
  });
}

function key(kind: Kind, name: string): string {
  return `${kind} ${name}`;
}

/** Says that the tests which follow are of this file: it adds a test to the run, as tests do not know their file. */
export function noteFile(path: string): void {
  if (isEachCounted()) test(`file ${relative(process.cwd(), path)}`, () => {});
}

function isEachCounted(): boolean {
  return process.env[TIMES_OF_EACH] !== undefined;
}

/** Counts by file and by test. What hooks of tests do counts as their file's. */
function countEach(run: string): Map<string, number> {
  const times = new Map<string, number>();
  let counted = 0;
  let file = key('file', `${run} (loading)`);
  const add = (...keys: readonly string[]) => {
    const seconds = processorSeconds() - counted;
    counted += seconds;
    for (const key of keys) times.set(key, (times.get(key) ?? 0) + seconds);
  };
  beforeEach(({ fullName }: TestContext | SuiteContext) => {
    add(file);
    if (fullName.startsWith('file ')) file = fullName;
  });
  afterEach(({ fullName }: TestContext | SuiteContext) => add(file, key('test', `${fullName} [${file}]`)));
  return times;
}

/** Of this process and of those that it has started and awaited. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * MICROSECONDS + childrenSeconds();
}

function childrenSeconds(): number {
  try {
    // cutime, cstime: fields 16 and 17; the second one may hold spaces, and ends with the last bracket.
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return fields.slice(13, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_SECONDS;
  } catch {
    // Other systems do not tell.
    return 0;
  }
}

/** What a file of times says, the most expensive `count` of each kind first. */
export function timesText(path: string, count: number): string {
  const times = readFileSync(path, 'utf8').split('\n').filter(Boolean).map(parse);
  const ofKind = (kind: Kind) => times.filter((time) => time.kind === kind);
  const processes = ofKind('process');
  const total = processes.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    `Processor time: ${total.toFixed(0)} s in ${processes.length} processes; most of it:`,
    ...linesOf(processes, count),
    ...(['file', 'test'] as const).flatMap((kind) => {
      const lines = linesOf(ofKind(kind), count);
      return lines.length === 0 ? [] : [`Most of it by ${kind}:`, ...lines];
    }),
    '',
  ].join('\n');
}

function linesOf(times: readonly Time[], count: number): readonly string[] {
  return times
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ seconds, name }) => `${seconds.toFixed(1).padStart(7)}  ${name}`);
}

function parse(line: string): Time {
  const [seconds = '0', kind = '', ...name] = line.split(' ');
  return { seconds: Number(seconds), kind, name: name.join(' ') };
}
