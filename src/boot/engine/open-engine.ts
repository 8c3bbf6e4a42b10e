// Opens the embedded engine, with the data endpoints running in its threads.
import { setTimeout as pause } from 'node:timers/promises';
import type { DataExecutor } from '../../api/data-request.ts';
import { EXIT_BROKEN } from '../../cli/command.ts';
import type { IndexDescriptions } from '../../domain/index-description.ts';
import { type IndexProfile, storageIdOf } from '../../domain/index-model.ts';
import { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts';
import { keepDescription } from '../../engine/embedded/storage/index-description.ts';
import { indexFolder } from '../../engine/embedded/storage/index-files.ts';
import { takeShortTurns } from '../../engine/embedded/workers/short-turns.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import type { Logger } from '../../http/request-log.ts';
import { killSelf } from '../../platform/kill-self.ts';
import { type OpenFiles, openFiles } from '../open-files-shares.ts';
import type { Settings } from '../settings.ts';
import { boundOpenIndexes } from './bound-open-indexes.ts';
import { embeddedExecutor } from './embedded-executor.ts';

const MEBIBYTE = 2 ** 20;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** The share of the memory for bodies that waiting writes may use. The rest is left for queries. */
const WRITES_SHARE = 0.5;
/** How long the start waits for an index to be loaded: larger ones load on. */
const WARM_UP_MS_MAX = 3_000;

/** True when an index has an alias of this name, whichever node has made it. */
export type IsAlias = (indexId: string, name: string) => Promise<boolean>;

/** What an engine is opened beside; a command has nothing of it. */
export interface EngineSurroundings {
  /** Where nodes share the aliases. */
  readonly isAlias?: IsAlias | undefined;
  /** Null where the system has no limit. */
  readonly files?: OpenFiles | null;
}

/** An engine, and the executor of data endpoints over it. */
export interface OpenEngine {
  readonly engine: VectorStore;
  readonly executor: DataExecutor;
  /** Loads what was in memory before the restart; resolves when the rest can go on beside requests. */
  readonly warmUp?: (profiles: readonly IndexProfile[]) => Promise<void>;
  /** Tells which indexes are there, before anybody asks for them. Nobody waits for it; the log has its failure. */
  readonly watch?: (profiles: readonly IndexProfile[]) => void;
  /** Null where indexes keep no descriptions. */
  readonly descriptions: IndexDescriptions | null;
}

export async function openEmbeddedEngine(
  settings: Settings,
  logger: Logger,
  { files = openFiles(settings, 0) }: EngineSurroundings = {},
): Promise<OpenEngine> {
  // This thread serves requests, and competes with the engine's threads for the cores.
  takeShortTurns();
  const engine = new EmbeddedEngine({
    dataDir: settings.dataDir,
    counts: {
      reader: settings.searchThreads,
      writer: settings.writeThreads,
      builder: settings.buildThreads,
    },
    scrubBytesPerSecond: settings.scrubMebibytes * MEBIBYTE,
    history:
      settings.historyHours === 0
        ? null
        : { msMax: settings.historyHours * HOUR_MS, diskPercentMax: settings.historyDiskPercent },
    open: {
      indexesMax: boundOpenIndexes(settings, logger, files),
      idleMs: settings.indexIdleSeconds * SECOND_MS,
    },
    memory: { bytesMax: settings.memoryMebibytesMax * MEBIBYTE },
    memoryProfile: settings.memoryProfile,
    queueMax: settings.queueMax,
    queueBytesMax: (settings.bodyMebibytesMax * MEBIBYTE * WRITES_SHARE) / settings.writeThreads,
    entries: {
      reader: new URL('./reader.ts', import.meta.url),
      writer: new URL('./writer.ts', import.meta.url),
      builder: new URL('./builder.ts', import.meta.url),
    },
    events: {
      onReport: ({ requestId, error }) => logger.error({ requestId, error }, 'a request failed'),
      onDamage: ({ indexId, damage }) => logger.error({ indexId, damage }, 'files of an index are damaged'),
      onSumsAdded: ({ indexId, records }) =>
        logger.info({ indexId, records }, 'records of 0.1.0 have got their checksums'),
      onRestart: (thread, error) =>
        logger.error({ thread, err: error }, 'an engine thread died; starting another'),
      onCrashLoop: (error) => {
        logger.fatal({ err: error }, 'engine threads die too often; stopping');
        process.exit(EXIT_BROKEN);
      },
      onDeadlock: (thread) => {
        logger.fatal({ thread }, 'an engine thread died in the middle of a transaction; stopping');
        // Not process.exit: it would wait for the thread, which waits for a lock of its own
        // (docs/decisions/008-thread-priorities-and-failures.md).
        killSelf();
      },
    },
  });
  return {
    engine,
    executor: embeddedExecutor(engine),
    warmUp: (profiles) =>
      Promise.race([engine.warmUp(profiles), pause(WARM_UP_MS_MAX, undefined, { ref: false })]),
    watch: (profiles) =>
      void engine
        .watch(profiles)
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'the history of indexes that nobody opens may be dropped late'),
        ),
    descriptions: {
      keep: async (description) => {
        await keepDescription(indexFolder(settings.dataDir, storageIdOf(description.index)), description);
      },
    },
  };
}
