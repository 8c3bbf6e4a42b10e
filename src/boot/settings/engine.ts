// The settings about threads, queues and memory of the engine, and jobs.
import { MEMORY_PROFILES } from '../../domain/memory-profile.ts';
import { PARTITIONS_MAX, type Shards } from '../../engine/postgres/shards.ts';
import { IDLE_MEBIBYTES, partOfMemory } from '../../platform/machine-memory.ts';
import { BadValue, oneOf, postgresUrl, type SettingKind, wholeNumber } from '../setting-kinds.ts';
import { optional, type Setting, setting, THREADS_MAX, threadsPreset } from './setting.ts';

/** Of the memory that an idle server leaves. The rest is for records in the page cache, and requests. */
const MEMORY_SHARE = 0.6;
const MEMORY_MEBIBYTES_MIN = 16;
const MEMORY_MEBIBYTES_MAX = 16_777_216;

const partitions = wholeNumber(2, PARTITIONS_MAX, 'partitions');

const shards: SettingKind<Shards> = {
  form: `none, citus or ${partitions.form}`,
  read: (text) => {
    if (text === 'none' || text === 'citus') return text;
    try {
      return partitions.read(text);
    } catch {
      throw new BadValue(`must be none, a whole number from 2 to ${PARTITIONS_MAX}, or citus`);
    }
  },
};

export const ENGINE_SETTINGS = {
  engine: setting('PINYON_ENGINE', oneOf(['embedded', 'postgres']), {
    preset: 'embedded',
    about:
      'What holds the records: `embedded`, the engine of this program, in the data folder; or `postgres`, a database with pgvector, which `PINYON_DATABASE_URL` must name.',
  }),
  engineUrl: optional(
    'PINYON_ENGINE_URL',
    postgresUrl,
    'Database for the records where `PINYON_ENGINE` is `postgres`. If unset, that of `PINYON_DATABASE_URL`.',
  ),
  engineConnections: setting('PINYON_ENGINE_CONNECTIONS', wholeNumber(4, 1_000), {
    preset: '10',
    about:
      'Connections to that database at most. Writes use half of them at a time, and backups and other copies a quarter.',
  }),
  engineShards: setting('PINYON_ENGINE_SHARDS', shards, {
    preset: 'none',
    about:
      'How the tables of new indexes are spread by namespaces where `PINYON_ENGINE` is `postgres`: `none`; a number of partitions of each table on one server; or `citus`, over the servers of that extension. See [scaling](../scaling.md#tables-spread-by-namespaces).',
  }),
  searchThreads: setting('PINYON_SEARCH_THREADS', wholeNumber(1, THREADS_MAX), {
    preset: threadsPreset(),
    presetShown: 'number of cores',
    about: 'Threads that serve reads.',
  }),
  writeThreads: setting('PINYON_WRITE_THREADS', wholeNumber(1, THREADS_MAX), {
    preset: threadsPreset(0.5),
    presetShown: 'half the number of cores',
    about: 'Threads that serve writes. One thread at a time writes an index.',
  }),
  buildThreads: setting('PINYON_BUILD_THREADS', wholeNumber(1, THREADS_MAX), {
    preset: threadsPreset(),
    presetShown: 'number of cores',
    about:
      'Threads that index new records into search graphs in the background, at a lower priority than queries and writes.',
  }),
  queueMax: setting('PINYON_QUEUE_MAX', wholeNumber(1, 1_000_000, 'requests'), {
    preset: '1024',
    about: 'Data plane requests that may wait for one thread. Further requests get status 429.',
  }),
  memoryMebibytesMax: setting(
    'PINYON_MEMORY_MEBIBYTES_MAX',
    wholeNumber(MEMORY_MEBIBYTES_MIN, MEMORY_MEBIBYTES_MAX, 'MiB'),
    {
      preset: String(memoryPreset()),
      presetShown: `60% of the memory of the machine or its control group, after ${IDLE_MEBIBYTES} MiB for the server itself`,
      about:
        'Memory for search: vectors, graphs and filters of all indexes. Unused indexes and namespaces are evicted; what still does not fit is searched on disk, which is slow.',
    },
  ),
  memoryProfile: setting('PINYON_MEMORY_PROFILE', oneOf(MEMORY_PROFILES), {
    preset: 'memory',
    about:
      'Where indexes that set none of their own keep what searches compare: `memory`, or `disk` for those of 128 dimensions and more, which then take less than half of the memory.',
  }),
  openIndexesMax: setting('PINYON_OPEN_INDEXES_MAX', wholeNumber(1, 1_000_000, 'indexes'), {
    preset: '1000',
    about:
      'Indexes whose files stay open. Beyond, those unused for longest are closed; the next request opens them again, which takes some milliseconds where little is in them. Fewer where the system lets the process open few files.',
  }),
  indexIdleSeconds: setting('PINYON_INDEX_IDLE_SECONDS', wholeNumber(1, 31_536_000, 'seconds'), {
    preset: '900',
    about:
      'After how long an index is closed that nobody uses and that has nothing in memory for searches. The next request opens it again.',
  }),
  scrubMebibytes: setting('PINYON_SCRUB_MEBIBYTES', wholeNumber(0, 100_000, 'MiB'), {
    preset: '8',
    about:
      'How much of the files of indexes, and as much again of backups, is read each second in the background to find damage before it is asked for; `0` turns it off.',
  }),
  historyHours: setting('PINYON_HISTORY_HOURS', wholeNumber(0, 8_760, 'hours'), {
    preset: '24',
    about:
      'How long indexes keep what was overwritten and deleted, so that it can be undone; `0` turns it off and drops what is kept.',
  }),
  historyDiskPercent: setting('PINYON_HISTORY_DISK_PERCENT', wholeNumber(1, 90, 'percent'), {
    preset: '10',
    about:
      'The history of an index takes at most this share of the disk space that is free without it; beyond, its oldest part is dropped.',
  }),
  jobsMax: setting('PINYON_JOBS_MAX', wholeNumber(1, 64), {
    preset: '2',
    about: 'Backups, restores and other long jobs that may run at a time, for each kind.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

/** In MiB. @param mebibytes memory of the machine; default of this one */
export function memoryPreset(mebibytes?: number): number {
  const bounds = { mebibytesMin: MEMORY_MEBIBYTES_MIN, mebibytesMax: MEMORY_MEBIBYTES_MAX };
  return partOfMemory({ share: MEMORY_SHARE, ...bounds }, mebibytes);
}
