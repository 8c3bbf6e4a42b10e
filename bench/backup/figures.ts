// Backup and restore over HTTP: speed, fixed costs, effect on queries, memory. Run: npm run bench:backup
import '../../src/boot/runtime-flags.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hardDataSet } from '../support/data-set.ts';
import { type Figure, machine, percentile, table } from '../support/figures.ts';
import { startService } from '../support/service.ts';
import { Client } from './client.ts';
import { copyMs } from './copy-ms.ts';
import { MemoryWatch } from './memory-watch.ts';
import { type Course, queriesBeside } from './queries-beside.ts';

/** The goals are for 200,000. */
const RECORDS = Number(process.env.BENCH_RECORDS ?? 20_000);
const DIMENSION = 768;
const QUERIES = 300;
/** Number of measurements of each, in turns: the machine's speed varies over time. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const PORTS = { base: 15_180 };
const MEGABYTE = 1e6;
const RATE_MIN = 150;
const MEMORY_MAX = 512;

const folder = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
try {
  console.log(
    `${machine()}; ${RECORDS} x ${DIMENSION}, medians of ${ROUNDS} rounds (each round in brackets)\n`,
  );
  console.log(table(await measure()));
} finally {
  rmSync(folder, { recursive: true });
}

interface Round {
  readonly backup: Course;
  readonly restore: Course;
  /** The same work for an index of one record: the fixed costs. */
  readonly smallBackup: Course;
  readonly smallRestore: Course;
  readonly copyMs: number;
  readonly storedBytes: number;
}

async function measure(): Promise<readonly Figure[]> {
  const data = hardDataSet({ records: RECORDS, queries: QUERIES, dimension: DIMENSION });
  const service = await startService(folder, PORTS);
  const client = new Client(service, data);
  try {
    await client.fill('bench', RECORDS);
    await client.fill('small', 1);
    const watch = new MemoryWatch(service.pid);
    const rounds: Round[] = [];
    for (let number = 0; number < ROUNDS; number += 1) rounds.push(await round(client, number));
    const memory = watch.stop();
    const first = await client.firstQuery('bench-0');
    const beside = await queriesBeside(client, ROUNDS);
    return [...speeds(rounds), ...others({ memory, first, beside })];
  } finally {
    client.close();
    await service.stop();
  }
}

async function round(client: Client, number: number): Promise<Round> {
  const small = await client.backup('small');
  const smallRestore = await client.restore(small.id, `small-${number}`);
  const backup = await client.backup('bench');
  const restore = await client.restore(backup.id, `bench-${number}`);
  const storedBytes = backup.storedBytes;
  return {
    backup,
    restore,
    smallBackup: small,
    smallRestore,
    storedBytes,
    copyMs: copyMs(folder, storedBytes),
  };
}

function speeds(rounds: readonly Round[]): readonly Figure[] {
  const rawBytes = RECORDS * DIMENSION * Float32Array.BYTES_PER_ELEMENT;
  const rate = (ms: number) => rawBytes / MEGABYTE / (ms / 1_000);
  const of = (pick: (round: Round) => number) => rounds.map(pick);
  const median = (pick: (round: Round) => number) => percentile(of(pick), 0.5);
  const each = (pick: (round: Round) => number) =>
    of(pick)
      .map((ms) => (ms / 1_000).toFixed(2))
      .join(' ');
  const processor = (pick: (round: Round) => Course) =>
    `${median((round) => pick(round).processorSeconds).toFixed(2)} s of a processor`;
  const backup = median((round) => round.backup.ms);
  const smallBackup = median((round) => round.smallBackup.ms);
  const restore = median((round) => round.restore.ms);
  const smallRestore = median((round) => round.smallRestore.ms);
  const copied = median((round) => round.copyMs);
  const share = median(({ storedBytes }) => storedBytes) / rawBytes;
  return [
    {
      what: 'backup, nothing else running, raw vectors',
      goal: `>= ${RATE_MIN} MB/s`,
      measured: `${rate(backup).toFixed(0)} MB/s: ${(backup / 1_000).toFixed(2)} s (${each((round) => round.backup.ms)}), ${processor((round) => round.backup)}; ${share.toFixed(2)} stored bytes a raw byte`,
      met: rate(backup) >= RATE_MIN,
    },
    {
      what: 'of that for an index of one record; the rate without it',
      goal: null,
      measured: `${smallBackup.toFixed(0)} ms, ${processor((round) => round.smallBackup)}; ${rate(backup - smallBackup).toFixed(0)} MB/s`,
      met: true,
    },
    {
      what: 'restore until Ready',
      goal: '< 2 x the time of copying the stored bytes within the disk',
      measured: `${(restore / copied).toFixed(2)} x: ${(restore / 1_000).toFixed(2)} s (${each((round) => round.restore.ms)}), ${processor((round) => round.restore)}; copy ${(copied / 1_000).toFixed(2)} s (${each((round) => round.copyMs)})`,
      met: restore < 2 * copied,
    },
    {
      what: 'of that for an index of one record; the ratio without it',
      goal: null,
      measured: `${smallRestore.toFixed(0)} ms, ${processor((round) => round.smallRestore)}; ${((restore - smallRestore) / copied).toFixed(2)} x`,
      met: true,
    },
  ];
}

interface Others {
  readonly memory: number;
  readonly first: number;
  readonly beside: Awaited<ReturnType<typeof queriesBeside>>;
}

function others({ memory, first, beside }: Others): readonly Figure[] {
  const { idle, busy, backups } = beside;
  const [idle99, busy99] = [percentile(idle, 0.99), percentile(busy, 0.99)];
  const [idle50, busy50] = [percentile(idle, 0.5), percentile(busy, 0.5)];
  const seconds = backups.map(({ ms }) => (ms / 1_000).toFixed(2)).join(' ');
  return [
    {
      what: 'memory of the process above idle, at most',
      goal: `<= ${MEMORY_MAX} MB`,
      measured: `${memory.toFixed(0)} MB`,
      met: memory <= MEMORY_MAX,
    },
    {
      what: 'first query after a restore',
      goal: 'no rebuild',
      measured: `${first.toFixed(0)} ms`,
      met: first < 1_000,
    },
    {
      what: 'query p99 during backups',
      goal: '<= 2 x idle',
      measured: `${(busy99 / idle99).toFixed(2)} x: ${busy99.toFixed(1)} ms of ${busy.length}, idle ${idle99.toFixed(1)} ms of ${idle.length}; p50 ${busy50.toFixed(1)}, idle ${idle50.toFixed(1)} ms; those backups took ${seconds} s`,
      met: busy99 <= 2 * idle99,
    },
  ];
}
