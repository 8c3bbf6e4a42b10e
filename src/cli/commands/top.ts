// pinyon top: shows the indexes of a project with their sizes, queries and jobs, again and again.
import { setTimeout as pause } from 'node:timers/promises';
import { NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { type JsonObject, membersOf } from '../../domain/json.ts';
import { ApiClient } from '../client/api-client.ts';
import { EXIT_DONE, type Io, type ParsedWords } from '../command.ts';
import { wholeNumber } from '../line/parse-words.ts';
import { lines, table } from '../terminal/table.ts';

const VERSION = NEWEST_API_VERSION;
const SECONDS_PRESET = 2;
/** Timers take no more than 24 days. */
const SECONDS_MAX = 86_400;
/** Clears the terminal below its first line. */
const HOME_AND_CLEAR = '\u001b[H\u001b[J';
const COLUMNS = {
  name: 'INDEX',
  state: 'STATE',
  records: 'RECORDS',
  disk: 'DISK',
  memory: 'MEMORY',
  rate: 'QUERIES/S',
  p50: 'P50 MS',
  p99: 'P99 MS',
  errors: 'ERRORS',
};
const JOBS = { kind: 'JOB', index_name: 'INDEX', state: 'STATE', percent_complete: '%', error: 'ERROR' };
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const KIBI = 1_024;

interface Look {
  readonly atMs: number;
  readonly indexes: readonly JsonObject[];
  readonly jobs: readonly JsonObject[];
  readonly warnings: readonly string[];
}

export async function top(words: ParsedWords, io: Io): Promise<number> {
  const client = await ApiClient.of(words, io);
  const seconds = wholeNumber(words, 'interval', SECONDS_PRESET, SECONDS_MAX);
  const isLive = io.outColumns !== null && !words.flag('once') && !words.flag('json');
  let before: Look | null = null;
  for (;;) {
    const now = await look(client);
    if (words.flag('json')) io.out(`${JSON.stringify({ ...now, atMs: undefined })}\n`);
    else {
      if (isLive) io.control('out', HOME_AND_CLEAR);
      io.out(screen(client.url, now, before, io));
    }
    if (!isLive) return EXIT_DONE;
    before = now;
    // Ctrl-C is how people leave it, and no failure.
    await pause(seconds * 1_000, undefined, { signal: io.signal }).catch(() => undefined);
    if (io.signal.aborted) return EXIT_DONE;
  }
}

async function look(client: ApiClient): Promise<Look> {
  const { indexes, jobs, warnings } = await client.call('GET', '/console/overview', { version: VERSION });
  return {
    atMs: performance.now(),
    indexes: indexes as readonly JsonObject[],
    jobs: jobs as readonly JsonObject[],
    warnings: warnings as readonly string[],
  };
}

function screen(url: string, now: Look, before: Look | null, { outColumns }: Io): string {
  const rows = now.indexes.map((index) => rowOf(index, rateOf(index, now, before)));
  if (outColumns === null) return lines(rows, COLUMNS);
  const jobs = now.jobs.length === 0 ? [] : ['', table(now.jobs, JOBS, outColumns)];
  const warnings = now.warnings.map((each) => `! ${each}`);
  return [
    `${url}  ${new Date().toLocaleTimeString('en-GB')}`,
    ...warnings,
    '',
    table(rows, COLUMNS, outColumns),
    ...jobs,
    '',
  ].join('\n');
}

function rowOf(index: JsonObject, rate: number | null): JsonObject {
  const { name, state, record_count: records, disk_bytes: disk, memory_bytes: memory } = index;
  const { p50_ms: p50, p99_ms: p99, errors } = membersOf(index.queries);
  return { name, state, records, disk: sizeOf(disk), memory: sizeOf(memory), rate, p50, p99, errors };
}

/** Queries in a second since the look before; null at the first. */
function rateOf({ name, queries }: JsonObject, now: Look, before: Look | null): number | null {
  const former = before?.indexes.find((each) => each.name === name);
  if (before === null || former === undefined) return null;
  const count = Number(membersOf(queries).count) - Number(membersOf(former.queries).count);
  return Math.round((count * 10_000) / (now.atMs - before.atMs)) / 10;
}

/** `1.2 GiB`; null where it is unknown. */
function sizeOf(bytes: unknown): string | null {
  if (typeof bytes !== 'number') return null;
  let value = bytes;
  let unit = 0;
  for (; value >= KIBI && unit < UNITS.length - 1; unit++) value /= KIBI;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
